import assert from "node:assert/strict";
import type { Trace } from "../../../core/protocol/traces.ts";
import { storeLab } from "../../support/service/store_lab.ts";

const hour = 3_600_000;
const local = { host: "192.0.2.1", port: 5060 };

function traceOf(texts: string[]): Trace {
  const flow = { direction: "sent", transport: "UDP", local, remote: local } as const;
  return { dropped: 0, messages: texts.map((text, at) => ({ at, text, ...flow })) };
}

Deno.test("a SIP trace is kept for its time, and goes with its call", async () => {
  using lab = await storeLab();
  const { store: { records, sipTraces }, accountSid, clock } = lab;
  const [first, second] = ["busy", "failed"].map((status) =>
    lab.call({ from: "+1", to: "+2", status: status as "busy", startTime: clock.now })
  ) as [ReturnType<typeof lab.call>, ReturnType<typeof lab.call>];
  const trace = traceOf(["INVITE sip:bob@sip.test SIP/2.0\r\n\r\n"]);
  for (const record of [first, second]) {
    await records.calls.insert({ record });
    await sipTraces.put(record, trace, 24 * hour);
  }
  await records.calls.remove(accountSid, first.sid);

  assert.equal(await sipTraces.get(first), null);
  assert.deepEqual(await sipTraces.get(second), trace);
  clock.now += 24 * hour;
  assert.equal(await sipTraces.get(second), null);
});

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
