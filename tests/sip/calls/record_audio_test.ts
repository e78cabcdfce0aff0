import assert from "node:assert/strict";
import type { Script, Step } from "../../../core/protocol/script.ts";
import { portOf, soundOf } from "../../support/sip/plain_peer.ts";
import { channelOf, samplesOf, secondsOf } from "../../support/service/recorded.ts";
import { newLeg, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { eventually } from "../../support/process/eventually.ts";
import { openTrunk, startTrunkLab, trunkInvitation } from "../../support/sip/trunk_peer.ts";
import { openVoice, type Voice } from "../../support/media/voice.ts";
import { workerEngine } from "../../support/media/worker_engine.ts";

const recording = { sid: `RE${"1".repeat(32)}`, accountSid: `AC${"0".repeat(32)}` };
const action = { url: "http://app.test/recorded", method: "POST", hops: 0 } as const;
const record: Step = {
  type: "record",
  recording,
  timeoutS: 2,
  finishOnKey: "#",
  maxLengthS: 60,
  playBeep: true,
  trim: true,
  action,
};

/** A companion with real audio over plain RTP, and a phone in a call that a script is for. */
async function talking(script: Script) {
  const lab: SipLab = await startTrunkLab({ engine: await workerEngine() });
  const voice = await openVoice();
  const phone = await lab.phone("alice");
  lab.service.answer = ({ event }) => event.type === "incoming" ? script : [];
  const dialog = await phone.call("bob", { sdp: voice.sdp }).answered;
  voice.speakTo(portOf(dialog.remoteSdp));
  return {
    lab,
    voice,
    dialog,
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await voice.close();
    },
  };
}

/** Says a tone for some time at least; resolves with the seconds it was. */
async function say(voice: Voice, hz: number, seconds: number): Promise<number> {
  const from = voice.spoken();
  voice.say(hz);
  await eventually(`${hz} Hz was said`, () => voice.spoken() - from >= seconds);
  voice.say(null);
  return voice.spoken() - from;
}

/** Whether seconds are as many as said, give or take what a busy machine is late for. */
const isAbout = (seconds: number, wanted: number) => Math.abs(seconds - wanted) < 0.4;

sipTest("what a phone says after the beep is recorded, without the silence around it", async () => {
  await using call = await talking([{ type: "answer" }, record]);
  const { lab, voice } = call;
  const beep = () => soundOf("PCMU", voice.heard.filter(({ payloadType }) => payloadType === 0));
  await eventually("the beep is over", () => secondsOf(1_000, beep()) >= 0.26);
  await eventually("a moment of silence", () => voice.spoken() > 1);
  const said = await say(voice, 600, 1.5);
  const { event } = await lab.service.event("recorded");

  const samples = samplesOf(lab.service.parts);
  const heard = secondsOf(600, samples);
  assert.ok(isAbout(heard, said), `${heard} s of ${said} s of the tone`);
  assert.ok(isAbout(samples.length / 8_000, heard + 0.2 + 0.36), `${samples.length / 8_000} s`);
  assert.ok(secondsOf(1_000, samples) < 0.05, "the beep is not in it");
  assert.equal(event.recording.durationS, Math.round(samples.length / 8_000));
  assert.ok(isAbout(secondsOf(1_000, beep()), 0.3));
});

sipTest("a key of a phone ends its recording, and is reported", async () => {
  await using call = await talking([{ type: "answer" }, { ...record, playBeep: false }]);
  const said = await say(call.voice, 600, 0.8);
  call.voice.press("#");
  const { event } = await call.lab.service.event("recorded");

  assert.equal(event.digits, "#");
  const heard = secondsOf(600, samplesOf(call.lab.service.parts));
  assert.ok(isAbout(heard, said), `${heard} s of ${said} s`);
});

sipTest("both sides of a dialled call are recorded, each on its channel", async () => {
  await using trunk = await openTrunk();
  const dial: Step = {
    type: "dial",
    legs: [trunkInvitation([trunk.route], { leg: newLeg() })],
    media: "anchored",
    timeoutS: 30,
    timeLimitS: 600,
    record: recording,
    action,
  };
  const answering = (async () => {
    const far = await openVoice();
    const invite = await trunk.request("INVITE");
    far.say(900);
    trunk.answer(invite, { sdp: far.sdp });
    far.speakTo(portOf(invite.body));
    return far;
  })();
  await using call = await talking([dial]);
  const far = await answering;
  const said = await say(call.voice, 600, 1);
  await eventually("the far side has spoken", () => far.spoken() > 1.8);
  await call.dialog.bye();
  trunk.respond(await trunk.request("BYE"), 200);
  const { event } = await call.lab.service.event("dialled");
  await far.close();

  const samples = samplesOf(call.lab.service.parts);
  const [near, other] = [channelOf(samples, 0), channelOf(samples, 1)];
  assert.equal(event.recording?.sid, recording.sid);
  assert.equal(near.length, other.length);
  assert.ok(isAbout(secondsOf(600, near), said), `${secondsOf(600, near)} s of ${said} s`);
  assert.ok(isAbout(secondsOf(900, other), other.length / 8_000));
  assert.ok(secondsOf(900, near) + secondsOf(600, other) < 0.1, "neither is heard on both");
});
