import assert from "node:assert/strict";
import type { Trace } from "../../../core/protocol/traces.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { storeLab } from "../../support/service/store_lab.ts";

const hour = 3_600_000;
const local = { host: "192.0.2.1", port: 5060 };

function traceOf(texts: string[]): Trace {
  const flow = { direction: "sent", transport: "UDP", local, remote: local } as const;
  return { dropped: 0, messages: texts.map((text, at) => ({ at, text, ...flow })) };
}

const places: Record<string, (test: (location?: string) => Promise<void>) => Promise<void>> = {
  "a file": (test) => test(),
  async "a shared store"(test) {
    await using endpoint = startKvConnect();
    await test(endpoint.url);
  },
};

for (const [place, at] of Object.entries(places)) {
  Deno.test(`a SIP trace in ${place} is stored for its time, and goes with its call`, () =>
    at(async (location) => {
      using lab = await storeLab(location);
      const { store: { records, sipTraces }, accountSid, clock } = lab;
      const calls = (["busy", "failed", "no-answer"] as const).map((status) =>
        lab.call({ from: "+1", to: "+2", status, startTime: clock.now })
      );
      const [removed, old, kept] = calls as [Call, Call, Call];
      const trace = traceOf(["INVITE sip:bob@sip.test SIP/2.0\r\n\r\n"]);
      for (const record of calls) {
        await records.calls.insert({ record });
        await sipTraces.put(record, trace, 24 * hour);
      }
      await records.calls.remove(accountSid, removed.sid);
      assert.equal(await sipTraces.get(removed), null);
      // As retention does it.
      await records.calls.removeOld(accountSid, clock.now + 1, ({ sid }) => sid === kept.sid);
      assert.equal(await sipTraces.get(old), null);

      assert.deepEqual(await sipTraces.get(kept), trace);
      clock.now += 24 * hour;
      assert.equal(await sipTraces.get(kept), null);
    }));
}

Deno.test("a SIP trace that cannot be compressed keeps the last messages that fit in an entry", async () => {
  using lab = await storeLab();
  const { sipTraces } = lab.store;
  const noise = () => crypto.getRandomValues(new Uint8Array(3_000)).toBase64();
  const call = { accountSid: lab.accountSid, sid: lab.sid("CA") };
  const texts = Array.from({ length: 40 }, noise);
  await sipTraces.put(call, traceOf(texts), hour);

  const { messages, dropped } = (await sipTraces.get(call))!;
  assert.ok(messages.length >= 10 && messages.length + dropped === 40);
  assert.equal(messages.at(-1)!.text, texts.at(-1));
});
