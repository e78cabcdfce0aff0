import assert from "node:assert/strict";
import twilio from "twilio";
import {
  type CarrierLab,
  startCarrierLab,
  untilVoiceHears,
} from "../support/service/carrier_lab.ts";
import { channelOf, readRecording, secondsOf } from "../support/service/recorded.ts";
import { portOf, soundOf } from "../support/sip/plain_peer.ts";
import { eventually } from "../support/process/eventually.ts";
import { pcmFile } from "../support/media/wav_file.ts";
import { speech } from "../support/media/synthetic_speech.ts";
import { tone } from "../support/media/tone.ts";
import { openVoice, type Voice } from "../support/media/voice.ts";

/** Calls that npm `twilio` places and controls, on real audio. */

const [ours, far] = ["+14155550101", "+442079460000"];

interface Lab extends CarrierLab {
  client: twilio.Twilio;
}

async function startLab(): Promise<Lab> {
  const lab = await startCarrierLab();
  const { system } = lab;
  await system.post("IncomingPhoneNumbers.json", { PhoneNumber: ours });
  const client = twilio(system.accountSid, system.authToken, { keepAlive: false });
  client.api.baseUrl = system.baseUrl;
  return { ...lab, client };
}

/** A call to the carrier's side, which answers and speaks. */
async function answeredCall(
  { client, answered }: Lab,
  more: Partial<Parameters<twilio.Twilio["calls"]["create"]>[0]> = {},
): Promise<{ sid: string; voice: Voice }> {
  const twiml = "<Response><Pause length='120'/></Response>";
  const { sid } = await client.calls.create({ from: ours, to: far, twiml, ...more });
  const voice = await answered();
  await eventually(
    "it is in progress",
    async () => (await client.calls(sid).fetch()).status === "in-progress",
  );
  return { sid, voice };
}

const untilHears = (voice: Voice, hz: number) =>
  untilVoiceHears(voice, hz, (level) => level > 3_000);

/** Says a tone for so long. */
async function say(voice: Voice, hz: number | null, seconds: number): Promise<void> {
  voice.say(hz);
  const until = voice.spoken() + seconds;
  await eventually(`${hz} Hz was said`, () => voice.spoken() > until);
}

async function hangUp({ client, trunk }: Lab, { sid, voice }: { sid: string; voice: Voice }) {
  await client.calls(sid).update({ status: "completed" });
  trunk.respond(await trunk.request("BYE"), 200);
  await voice.close();
}

/** The audio of a recording that has ended. */
async function audioOf({ client, system }: Lab, sid: string) {
  const recording = await eventually("the recording is complete", async () => {
    const one = await client.recordings(sid).fetch();
    return one.status === "completed" && one;
  });
  const { mediaUrl } = recording;
  const file = await (await fetch(mediaUrl, { headers: system.headers })).bytes();
  return { recording, ...readRecording(file) };
}

const near = (found: number, wanted: number, by = 0.6) =>
  assert.ok(Math.abs(found - wanted) < by, `${found} s, not ${wanted} s`);

Deno.test({
  name: "npm twilio places, records and controls calls on real audio",
  timeout: 240_000,
  async fn(t) {
    await using lab = await startLab();
    const { app, client } = lab;

    await t.step(
      "a pause with skip leaves out the audio meanwhile, one with silence keeps its time",
      async () => {
        const call = await answeredCall(lab);
        const { sid, voice } = call;
        voice.say(500);
        const made = await client.calls(sid).recordings.create({
          recordingStatusCallback: `${app.url}/recorded`,
          recordingStatusCallbackEvent: ["in-progress", "completed"],
          recordingTrack: "inbound",
        });
        await say(voice, 500, 2);
        const current = client.calls(sid).recordings("Twilio.CURRENT");
        await current.update({ status: "paused", pauseBehavior: "skip" });
        await say(voice, 800, 2);
        await current.update({ status: "paused" });
        await say(voice, 1_100, 2);
        voice.say(1_400);
        await current.update({ status: "in-progress" });
        await say(voice, 1_400, 2);
        const stopped = await client.calls(sid).recordings(made.sid).update({ status: "stopped" });
        assert.equal(stopped.status, "stopped");

        const { samples, channels } = await audioOf(lab, made.sid);
        const { track } = await client.calls(sid).recordings(made.sid).fetch();
        assert.deepEqual([channels, track], [1, "inbound"]);
        near(secondsOf(500, samples), 2, 0.8);
        assert.ok(secondsOf(800, samples) < 0.2);
        assert.ok(secondsOf(1_100, samples) < 0.2);
        near(secondsOf(1_400, samples), 2, 0.8);
        near(samples.length / 8_000, 6, 1);
        const told = await app.asked("/recorded", (form) => form.RecordingStatus === "completed");
        assert.equal(told.RecordingSid, made.sid);
        assert.equal(app.sent("/recorded")[0]?.RecordingStatus, "in-progress");
        await hangUp(lab, call);
      },
    );

    await t.step(
      "Record of a call records from its answer to its end, a channel each",
      async () => {
        const call = await answeredCall(lab, {
          record: true,
          recordingChannels: "dual",
          trim: "do-not-trim",
          recordingStatusCallback: `${app.url}/whole`,
        });
        await say(call.voice, 500, 2);
        await hangUp(lab, call);

        const told = await app.asked("/whole");
        const { samples, channels, recording } = await audioOf(lab, told.RecordingSid!);
        assert.deepEqual([channels, recording.source], [2, "OutboundAPI"]);
        near(secondsOf(500, channelOf(samples, 0)), 2);
        assert.ok(secondsOf(500, channelOf(samples, 1)) < 0.2);
      },
    );

    await t.step(
      "AsyncAmd: the markup is heard while the machine greets, then the callback comes",
      async () => {
        app.pages.set("/tone.wav", pcmFile(tone(1_000, 1)));
        const call = await answeredCall(lab, {
          twiml: `<Response><Play loop="0">${app.url}/tone.wav</Play></Response>`,
          machineDetection: "Enable",
          asyncAmd: "true",
          asyncAmdStatusCallback: `${app.url}/amd`,
        });
        const { sid, voice } = call;
        await untilHears(voice, 1_000);
        assert.equal((await client.calls(sid).fetch()).answeredBy, null);
        voice.sayOnce(speech(8));
        const told = await app.asked("/amd");
        assert.deepEqual([told.CallSid, told.AnsweredBy], [sid, "machine_start"]);
        assert.ok(Number(told.MachineDetectionDuration) > 1_000);
        await untilHears(voice, 1_000);
        assert.equal((await client.calls(sid).fetch()).answeredBy, "machine_start");
        await hangUp(lab, call);
      },
    );

    await t.step("a number is validated by the code that its owner types", async () => {
      const asked = await client.validationRequests.create({
        phoneNumber: far,
        statusCallback: `${app.url}/verified`,
      });
      const voice = await openVoice();
      const invite = await lab.trunk.request("INVITE");
      lab.trunk.answer(invite, { sdp: voice.sdp });
      voice.speakTo(portOf(invite.body));
      await eventually("the question is heard", () => {
        const packets = voice.heard.filter(({ payloadType }) => payloadType === 0).slice(-20);
        return packets.length === 20 && soundOf("PCMU", packets).some((sample) => sample > 2_000);
      });
      for (const digit of asked.validationCode) {
        voice.press(digit);
        await say(voice, null, 0.2);
      }
      const told = await app.asked("/verified");
      lab.trunk.respond(await lab.trunk.request("BYE"), 200);
      assert.equal(told.VerificationStatus, "success");
      const [added] = await client.outgoingCallerIds.list({ phoneNumber: far });
      assert.equal(added?.sid, told.OutgoingCallerIdSid);
      await voice.close();
    });

    await t.step("a recording of a Conference is stopped while it goes on", async () => {
      const twiml =
        `<Response><Dial><Conference record="record-from-start">Room</Conference></Dial></Response>`;
      const call = await answeredCall(lab, { twiml });
      const other = await answeredCall(lab, { twiml });
      const sid = (await client.conferences.list({ friendlyName: "Room" }))[0]!.sid;
      call.voice.say(500);
      const [one] = await eventually("it is recorded", async () => {
        const found = await client.conferences(sid).recordings.list();
        return found.length > 0 && found;
      });
      const recordingSid = one!.sid;
      await client.conferences(sid).recordings(recordingSid).update({ status: "stopped" });
      const { recording } = await audioOf(lab, recordingSid);
      assert.deepEqual([recording.conferenceSid, recording.source], [sid, "Conference"]);
      assert.equal((await client.calls(call.sid).fetch()).status, "in-progress");
      await hangUp(lab, call);
      await hangUp(lab, other);
      await assert.rejects(
        client.conferences(sid).recordings(recordingSid).update({ status: "paused" }),
        { code: 13264 },
      );
    });
  },
});
