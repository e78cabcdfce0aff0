import assert from "node:assert/strict";
import type { Calls } from "../../../sip/contracts/calls.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createLevels } from "../../../sip/script/stream_levels.ts";
import { fakeMedia, type FakeMediaLeg } from "../../support/media/fake_media.ts";
import { tone } from "../../support/media/tone.ts";
import { newLeg, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";

const accountSid = `AC${"0".repeat(32)}`;

/** Timers that fire when the test says so. */
function handTimers() {
  const waiting = new Set<{ ms: number; callback: () => void }>();
  return {
    after(ms: number, callback: () => void) {
      const one = { ms, callback };
      waiting.add(one);
      return () => void waiting.delete(one);
    },
    waiting,
    fire() {
      for (const one of [...waiting]) {
        waiting.delete(one);
        one.callback();
      }
    },
  };
}

async function lab(count: number) {
  const media = fakeMedia();
  const timers = handTimers();
  const legs = new Map<string, { media: FakeMediaLeg; over: AbortController }>();
  for (let i = 0; i < count; i++) {
    await media.offer();
    legs.set(newLeg(), { media: media.legs.at(-1)!, over: new AbortController() });
  }
  const find = (leg: string) => {
    const found = legs.get(leg);
    return found && { leg: { accountSid, media: found.media, signal: found.over.signal } };
  };
  // Of all that calls are, the levels use these two.
  const levels = createLevels({ find, signalling: { timers } } as unknown as Calls);
  const sids = [...legs.keys()];
  const read = (wanted = sids, account = accountSid) =>
    levels.read({ accountSid: account, legs: wanted });
  return { legs: [...legs.values()], sids, read, timers };
}

Deno.test("read() measures a leg from the first request on, and shows the loudest of the last 0.3 s", async () => {
  const { legs: [one], sids: [sid], read } = await lab(1);
  assert.equal(one!.media.listeners, 0);
  assert.deepEqual(read(), [{ leg: sid, level: -127 }]);
  assert.equal(one!.media.listeners, 1);

  one!.media.hear(tone(500, 0.02));
  const [{ level } = { level: 0 }] = read();
  assert.ok(level > -40 && level < 0, `${level}`);
  for (let frame = 0; frame < 14; frame++) one!.media.hear(new Int16Array(160));
  assert.equal(read()[0]?.level, level);
  one!.media.hear(new Int16Array(160));
  assert.equal(read()[0]?.level, -127);
  assert.equal(one!.media.listeners, 1, "each request goes on with the same meter");
});

Deno.test("a leg is measured until requests for its level or the leg end", async () => {
  const { legs, sids, read, timers } = await lab(2);
  read();
  read();
  assert.deepEqual([...timers.waiting].map(({ ms }) => ms), [
    sipLimits.levelLeaseMs,
    sipLimits.levelLeaseMs,
  ]);
  legs[0]!.over.abort();
  assert.deepEqual(legs.map(({ media }) => media.listeners), [0, 1]);
  assert.deepEqual(read().map(({ leg }) => leg), [sids[1]]);
  timers.fire();
  assert.deepEqual(legs.map(({ media }) => media.listeners), [0, 0]);
  assert.equal(timers.waiting.size, 0);
});

Deno.test("read() measures no leg of another account, and so many at most", async () => {
  const { legs, sids, read } = await lab(sipLimits.levelMeters + 1);
  assert.deepEqual(read(sids, `AC${"1".repeat(32)}`), []);
  assert.equal(legs.filter(({ media }) => media.listeners > 0).length, 0);
  assert.equal(read().length, sipLimits.levelMeters);
  assert.equal(legs.filter(({ media }) => media.listeners > 0).length, sipLimits.levelMeters);
});

sipTest("the companion answers a request for levels, of legs with audio of its own", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  await phone.call("anything").answered;
  const { leg } = await lab.service.event("incoming");
  const ask = async (account: string) => {
    const request = { accountSid: account, legs: [leg, newLeg()] };
    const response = await lab.service.order(lab.companion.bridgeUrl, "/levels", request);
    return (await response.json()).levels;
  };
  assert.deepEqual(await ask(accountSid), [{ leg, level: -127 }]);
  lab.media.legs[0]!.hear(tone(500, 0.02));
  assert.ok((await ask(accountSid))[0].level > -40);
  assert.deepEqual(await ask(`AC${"1".repeat(32)}`), []);
});
