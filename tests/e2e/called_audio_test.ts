import assert from "node:assert/strict";
import type { AppServer } from "../support/service/app_server.ts";
import {
  type CarrierLab,
  startCarrierLab,
  untilVoiceHears,
} from "../support/service/carrier_lab.ts";
import { inTurn, silence, speech } from "../support/media/synthetic_speech.ts";
import type { System } from "../support/process/system.ts";
import { gone, talkAt, there } from "../support/media/talker.ts";
import { tone } from "../support/media/tone.ts";
import type { Voice } from "../support/media/voice.ts";
import { pcmFile } from "../support/media/wav_file.ts";

const [ours, far] = ["+14155550101", "+442079460000"];
/** Alice says 500 Hz, the carrier 750; a document plays 1,000 Hz. */
const [ALICE, CARRIER, PLAYED] = [500, 750, 1_000];

/** The lab, with a tone to play. */
async function startLab(): Promise<CarrierLab> {
  const lab = await startCarrierLab();
  lab.app.pages.set("/tone.wav", pcmFile(tone(PLAYED, 1)));
  return lab;
}

/** A Client whose calls get a document. */
async function callerWith(system: System, app: AppServer, document: string) {
  const phone = await system.phone("alice");
  const [{ sid }] = await system.get("Clients.json?Login=alice");
  app.pages.set("/voice", `<Response>${document}</Response>`);
  await system.post(`Clients/${sid}.json`, { VoiceUrl: `${app.url}/voice` });
  return phone;
}

/** The digits that came as telephone events, in order. */
const digitsOf = ({ heard }: Voice): string =>
  heard.filter(({ payloadType, marker }) => payloadType === 101 && marker)
    .map(({ payload }) => "0123456789*#ABCD"[payload[0]!]).join("");

const beeps = Array.from({ length: 5 }, () => inTurn(tone(1_000, 0.5), silence(0.3)));
const answers = [
  ["human", "Enable", inTurn(silence(0.4), speech(0.8))],
  ["machine", "DetectMessageEnd", inTurn(silence(0.4), speech(1.5), ...beeps)],
] as const;

Deno.test({
  name: "AnsweredBy follows from the RTP of a carrier's side",
  timeout: 240_000,
  async fn() {
    await using lab = await startLab();
    const { app, system, trunk } = lab;
    await system.post("IncomingPhoneNumbers.json", { PhoneNumber: ours });
    for (const [who, mode, sound] of answers) {
      const { sid } = await system.post("Calls.json", {
        From: ours,
        To: far,
        Url: `${app.url}/answered`,
        MachineDetection: mode,
      });
      const voice = await lab.answered();
      voice.sayOnce(sound);

      const told = await app.asked("/answered", ({ CallSid }) => CallSid === sid);

      assert.equal(told.AnsweredBy, who);
      assert.equal((await system.get(`Calls/${sid}.json`)).answered_by, who);
      trunk.respond(await trunk.request("BYE"), 200);
      await voice.close();
    }
  },
});

Deno.test({
  name: "a dialled callee hears digits, then its screening, and talks to the caller after a key",
  timeout: 240_000,
  async fn() {
    await using lab = await startLab();
    const { app, system, trunk } = lab;
    const phone = await callerWith(
      system,
      app,
      `<Dial action="/after"><Number sendDigits="12" url="/screen">${far}</Number></Dial>`,
    );
    app.pages.set(
      "/screen",
      `<Response><Gather action="/typed" numDigits="1" timeout="60">
        <Play loop="0">/tone.wav</Play></Gather></Response>`,
    );
    app.pages.set("/typed", "<Response/>");
    const calling = talkAt(phone, "sip:service@localhost", ALICE);
    const carrier = await lab.answered();
    carrier.say(CARRIER);

    await untilVoiceHears(carrier, PLAYED, there);
    assert.equal(digitsOf(carrier), "12");
    await untilVoiceHears(carrier, ALICE, gone);
    carrier.press("5");

    const typed = await app.asked("/typed");
    const alice = await calling;
    await alice.untilHearsOnly(CARRIER);
    await untilVoiceHears(carrier, ALICE, there);
    await untilVoiceHears(carrier, PLAYED, gone);
    assert.equal(typed.Digits, "5");
    assert.equal(typed.ParentCallSid, app.sent("/voice")[0]?.CallSid);
    await alice.dialog.bye();
    trunk.respond(await trunk.request("BYE"), 200);
    const after = await app.asked("/after");
    assert.deepEqual([after.DialCallStatus, after.DialCallSid], ["completed", typed.CallSid]);
    await Promise.all([alice.close(), carrier.close()]);
  },
});

Deno.test({
  name: "a new Url during a ringing Dial is performed for the caller, and the callee is cancelled",
  timeout: 240_000,
  async fn() {
    await using lab = await startLab();
    const { app, system, trunk } = lab;
    const phone = await callerWith(
      system,
      app,
      `<Play>/tone.wav</Play><Dial action="/after"><Number>${far}</Number></Dial>`,
    );
    app.pages.set("/moved", '<Response><Play loop="0">/tone.wav</Play></Response>');
    const calling = talkAt(phone, "sip:service@localhost", ALICE);
    const invite = await trunk.request("INVITE");
    trunk.respond(invite, 180);
    const alice = await calling;
    await alice.untilHears([PLAYED], ([level]) => gone(level!));
    const { CallSid } = await app.asked("/voice");

    await system.post(`Calls/${CallSid}.json`, { Url: `${app.url}/moved` });

    trunk.respond(await trunk.request("CANCEL"), 200);
    trunk.respond(invite, 487);
    await alice.untilHears([PLAYED], ([level]) => there(level!));
    const after = await app.asked("/after");
    assert.equal(after.DialCallStatus, "canceled");
    await alice.dialog.bye();
    await alice.close();
  },
});
