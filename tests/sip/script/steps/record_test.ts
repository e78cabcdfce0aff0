import assert from "node:assert/strict";
import { recordingLimits } from "../../../../core/protocol/recordings.ts";
import type { Script, Step } from "../../../../core/protocol/script.ts";
import { type Pcm, SILENCE } from "../../../../sip/media/base/port.ts";
import { channelOf, samplesOf, secondsOf } from "../../../support/service/recorded.ts";
import {
  invite,
  inviteScript,
  type SipLab,
  sipTest,
  startSipLab,
} from "../../../support/sip/sip_lab.ts";
import { framesOf } from "../../../support/media/synthetic_speech.ts";
import { eventually } from "../../../support/process/eventually.ts";
import { tone } from "../../../support/media/tone.ts";

type RecordStep = Extract<Step, { type: "record" }>;

const recording = {
  sid: `RE${"1".repeat(32)}`,
  accountSid: `AC${"0".repeat(32)}`,
  serviceContext: { a: 1 },
};
const action = { url: "http://app.test/recorded", method: "POST", hops: 3 } as const;
const pause: Step = { type: "silence", seconds: 60 };

const recordStep = (wanted: Partial<RecordStep> = {}): RecordStep => ({
  type: "record",
  recording,
  timeoutS: 1,
  finishOnKey: "12#",
  maxLengthS: 60,
  playBeep: true,
  trim: true,
  action,
  ...wanted,
});

const quiet = (frames: number): Pcm[] => Array(frames).fill(SILENCE);
const sound = (seconds: number, hz = 400): Pcm[] => framesOf(tone(hz, seconds));

/** A call of ours to alice, who answered it and is being recorded. */
async function recorded(lab: SipLab, script: Script) {
  const phone = await lab.phone("alice");
  const { leg } = await called(lab, phone, script);
  const media = lab.media.legs[0]!;
  await eventually("alice is recorded", () => media.listeners > 0);
  const say = (frames: Pcm[]) => frames.forEach((frame) => media.hear(frame));
  return { ...leg, media, say, event: lab.service.event("recorded") };
}

async function called(lab: SipLab, phone: Awaited<ReturnType<SipLab["phone"]>>, script: Script) {
  const invitation = invite("alice");
  lab.service.answer = ({ event }) => event.type === "answered" ? script : [pause];
  await lab.run(invitation.leg, inviteScript(invitation));
  const dialog = await (await phone.nextCall()).answer();
  return { leg: { leg: invitation.leg, dialog, phone } };
}

/** The only recording, as the service has it. */
const kept = (lab: SipLab) => samplesOf(lab.service.parts);

sipTest("record() beeps, records until the caller is silent, and asks its action", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep()]);
  call.say([...quiet(30), ...sound(1), ...quiet(60)]);
  const { event, wantsScript, leg } = await call.event;
  const [part, last] = lab.service.parts;

  assert.deepEqual(call.media.played, [{ samples: 2_400, loop: 1 }]);
  assert.deepEqual([wantsScript, leg], [true, call.leg]);
  assert.deepEqual(event, {
    type: "recorded",
    recording: { sid: recording.sid, durationS: 2 },
    action: { ...action, hops: 0 },
  });
  assert.deepEqual([part?.recording, part?.leg, part?.channels], [recording, call.leg, 1]);
  assert.deepEqual([part?.at, part?.end, last?.end], [0, undefined, "whole"]);
  assert.ok(Math.abs(secondsOf(400, kept(lab)) - 1) < 0.03);
  assert.ok(kept(lab).length < 1.6 * 8_000, `${kept(lab).length} samples`);
  assert.equal(call.media.listeners, 0);
});

sipTest("record() leaves silence in, and out the beep, where that is wanted", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep({ trim: false, playBeep: false })]);
  call.say([...quiet(30), ...sound(1), ...quiet(90)]);
  await call.event;

  assert.deepEqual(call.media.played, []);
  const seconds = kept(lab).length / 8_000;
  assert.ok(Math.abs(seconds - (0.6 + 1 + 0.16 + 1)) < 0.05, `${seconds} s`);
});

sipTest("record() ends at one of its keys, which the action gets", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep()]);
  call.say(sound(0.5));
  call.media.press("9");
  call.say(sound(0.5));
  call.media.press("#");
  const { event } = await call.event;

  assert.equal(event.digits, "#");
  assert.ok(Math.abs(secondsOf(400, kept(lab)) - 1) < 0.03);
});

sipTest("record() goes on at every key where none is to end it, up to its length", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep({ finishOnKey: "", maxLengthS: 3 })]);
  call.media.press("#");
  call.say(sound(10));
  const { event } = await call.event;

  assert.deepEqual([event.digits, event.recording.durationS], [undefined, 3]);
  assert.equal(kept(lab).length, 3 * 8_000);
});

for (const trim of [true, false]) {
  sipTest(`record() goes on with the script after silence alone (trim: ${trim})`, async () => {
    await using lab = await startSipLab();
    const next: Step = { type: "next", action };
    const call = await recorded(lab, [recordStep({ trim, timeoutS: 6 }), next]);
    call.say(quiet(300));
    await lab.service.event("next");
    if (!trim) await lab.service.part(({ end }) => end === "discard");

    assert.deepEqual(lab.service.parts.filter(({ end }) => end !== "discard").length, trim ? 0 : 1);
    assert.deepEqual(lab.service.parts.map(({ end }) => end).slice(1), trim ? [] : ["discard"]);
    assert.equal(lab.service.reports.some((one) => one.event.type === "recorded"), false);
  });
}

sipTest(
  "record() of a caller who hangs up is told to the action before the call ends",
  async () => {
    await using lab = await startSipLab();
    const call = await recorded(lab, [recordStep()]);
    call.say(sound(1));
    await call.dialog.bye();
    const { event, wantsScript, seq } = await call.event;
    const ended = await lab.service.event("ended");

    assert.deepEqual([event.digits, wantsScript], ["hangup", false]);
    assert.ok(seq < ended.seq);
    assert.equal(lab.service.parts.at(-1)?.end, "whole");
  },
);

sipTest("record() tells its action when the service ends the call", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep()]);
  call.say(sound(1));
  await lab.run(call.leg, [{ type: "hangup" }]);
  const { event, wantsScript } = await call.event;
  assert.deepEqual([event.digits, wantsScript], ["hangup", false]);
  assert.equal((await call.dialog.ended).method, "BYE");
});

sipTest("record() keeps what it has when another script takes over", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep()]);
  call.say(sound(1));
  await lab.run(call.leg, [{ type: "next", action }, pause]);
  await lab.service.event("next");

  assert.equal(lab.service.parts.at(-1)?.end, "whole");
  assert.equal(kept(lab).length, 8_000);
  assert.equal(lab.service.reports.some((one) => one.event.type === "recorded"), false);
});

sipTest("a recording goes to the service while it is made, also through an outage", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep()]);
  call.say(sound(5, 400));
  await lab.service.part(({ at, end }) => at === 0 && end === undefined);
  lab.service.outage = 503;
  call.say(sound(10, 500));
  await lab.service.outageFelt();
  lab.service.outage = undefined;
  call.media.press("#");
  const { event } = await call.event;

  assert.equal(event.recording.durationS, 15);
  assert.equal(kept(lab).length, 15 * 8_000);
  assert.ok(Math.abs(secondsOf(500, kept(lab)) - 10) < 0.1);
  const sizes = lab.service.parts.map(({ data }) => Uint8Array.fromBase64(data).length);
  const { firstPartBytes, partBytes } = recordingLimits;
  assert.deepEqual([...new Set(sizes.slice(0, -1))], [firstPartBytes, partBytes]);
});

sipTest("a recording that the service does not want ends without a word", async () => {
  await using lab = await startSipLab();
  lab.service.wantsPart = () => false;
  const next: Step = { type: "next", action };
  const call = await recorded(lab, [recordStep(), next]);
  call.say(sound(5));
  await lab.service.part(() => true);
  call.media.press("#");
  await lab.service.event("next");

  assert.equal(lab.service.parts.length, 1);
});

sipTest("dial() records both sides from the answer, each on a channel of its own", async () => {
  await using lab = await startSipLab();
  const bob = await lab.phone("bob");
  const alice = await lab.phone("alice");
  const { leg: { leg, dialog } } = await called(lab, alice, [{
    type: "dial",
    legs: [invite("bob")],
    media: "anchored",
    timeoutS: 30,
    timeLimitS: 600,
    record: recording,
    action,
  }]);
  await (await bob.nextCall()).answer();
  const [one, other] = await eventually("both are recorded", () => {
    const [one, other] = lab.media.legs;
    return one && other && other.listeners > 0 && [one, other] as const;
  });
  for (const frame of sound(2, 400)) {
    one.hear(frame);
    other.hear(tone(900, 0.02));
  }
  await dialog.bye();
  const dialled = await lab.service.event("dialled", leg);

  assert.deepEqual(dialled.event.recording, { sid: recording.sid, durationS: 2 });
  assert.deepEqual(new Set(lab.service.parts.map(({ channels }) => channels)), new Set([2]));
  const [left, right] = [channelOf(kept(lab), 0), channelOf(kept(lab), 1)];
  assert.deepEqual([left.length, right.length], [16_000, 16_000]);
  assert.deepEqual([secondsOf(400, left), secondsOf(900, right)], [2, 2]);
  assert.ok(secondsOf(900, left) + secondsOf(400, right) < 0.1);
  assert.deepEqual([one.listeners, other.listeners], [0, 0]);
});

sipTest("a companion that stops ends its recordings first", async () => {
  await using lab = await startSipLab();
  const call = await recorded(lab, [recordStep()]);
  call.say(sound(1));
  await lab.companion.stop();

  assert.equal(lab.service.parts.at(-1)?.end, "whole");
  assert.equal((await call.event).event.digits, "hangup");
});
