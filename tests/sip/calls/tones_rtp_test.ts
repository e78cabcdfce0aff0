import assert from "node:assert/strict";
import type { Script, Step } from "../../../core/protocol/script.ts";
import { gatherStep } from "../../support/sip/gather_lab.ts";
import { portOf } from "../../support/sip/plain_peer.ts";
import { conferenceSid, conferenceStep } from "../../support/sip/conference_lab.ts";
import { newLeg, sipTest } from "../../support/sip/sip_lab.ts";
import { eventually } from "../../support/process/eventually.ts";
import { openTrunk, startTrunkLab, trunkInvitation } from "../../support/sip/trunk_peer.ts";
import { openVoice } from "../../support/media/voice.ts";
import { workerEngine } from "../../support/media/worker_engine.ts";

const action = { url: "http://app.test/after", method: "POST", hops: 0 } as const;

/** Alice's phone, which has plain RTP and no telephone events, in a call that a script is for. */
async function calling(script: Script) {
  const lab = await startTrunkLab({ engine: await workerEngine() });
  const voice = await openVoice({ hasEvents: false });
  const phone = await lab.phone("alice");
  lab.service.answer = ({ event }) => event.type === "incoming" ? script : [];
  const dialog = await phone.call("anything", { sdp: voice.sdp }).answered;
  assert.doesNotMatch(dialog.remoteSdp, /telephone-event/);
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

sipTest("gather() takes keys as tones from a phone without telephone events", async () => {
  await using call = await calling([{ type: "answer" }, gatherStep({ prompts: [] })]);
  for (const key of "1123*40#") call.voice.press(key);
  const { event } = await call.lab.service.event("gathered");

  assert.equal(event.digits, "1123*40");
});

sipTest("a phone that asks for an offer is heard where its answer says that it moved", async () => {
  await using call = await calling([{ type: "answer" }, gatherStep({ prompts: [] })]);
  const moved = await openVoice({ hasEvents: false });
  const { status, body } = await call.dialog.request("INVITE", { ack: moved.sdp });
  assert.equal(status, 200);
  await eventually("it is sent sound there", () => moved.heard.length > 0);
  moved.speakTo(portOf(body));
  for (const key of "12#") moved.press(key);
  const { event } = await call.lab.service.event("gathered");

  assert.equal(event.digits, "12");
  await moved.close();
});

sipTest("a key as tones ends a recording, and is reported", async () => {
  const record: Step = {
    type: "record",
    recording: { sid: `RE${"1".repeat(32)}`, accountSid: `AC${"0".repeat(32)}` },
    timeoutS: 30,
    finishOnKey: "9",
    maxLengthS: 60,
    playBeep: false,
    trim: true,
    action,
  };
  await using call = await calling([{ type: "answer" }, record]);
  const { voice } = call;
  voice.say(600);
  await eventually("she has spoken", () => voice.spoken() > 1);
  for (const key of "89") voice.press(key);
  const { event } = await call.lab.service.event("recorded");

  assert.equal(event.digits, "9");
});

sipTest("the star as tones leaves a conference that says so", async () => {
  await using call = await calling([conferenceStep({ hangupOnStar: true, action })]);
  await call.lab.service.event("joined");
  for (const key of "1*") call.voice.press(key);
  const { event } = await call.lab.service.event("left");

  assert.deepEqual([event.conferenceSid, event.outcome], [conferenceSid, "completed"]);
});

sipTest("the star as tones ends a dialled call that says so", async () => {
  await using trunk = await openTrunk();
  const far = await openVoice();
  const dial: Step = {
    type: "dial",
    legs: [trunkInvitation([trunk.route], { leg: newLeg() })],
    media: "anchored",
    timeoutS: 30,
    timeLimitS: 600,
    hangupOnStar: true,
    action,
  };
  const answered = (async () => {
    const invite = await trunk.request("INVITE");
    trunk.answer(invite, { sdp: far.sdp });
    far.speakTo(portOf(invite.body));
  })();
  await using call = await calling([dial]);
  await answered;
  const isTone = ({ payloadType, payload }: { payloadType: number; payload: Uint8Array }) =>
    payloadType === 0 && payload.some((code) => code !== payload[0]);
  far.say(440);
  await eventually("the caller hears the far side", () => call.voice.heard.some(isTone));
  call.voice.press("5");
  await eventually("the far side hears the five", () => far.heard.some(isTone));
  assert.deepEqual(far.heard.filter(({ payloadType }) => payloadType === 101), []);

  call.voice.press("*");
  trunk.respond(await trunk.request("BYE"), 200);
  const { event } = await call.lab.service.event("dialled");

  assert.equal(event.outcome, "completed");
  await far.close();
});
