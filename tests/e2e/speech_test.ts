import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { fliteProgram } from "../../core/machine/adapters/speech/flite.ts";
import { encodeG711 } from "../../sip/media/codecs/g711.ts";
import {
  isSound,
  plainOffer,
  type PlainSocket,
  plainSocket,
  portOf,
  soundOf,
} from "../support/sip/plain_peer.ts";
import { asTelephone, programTest, voiceIn } from "../support/media/speech_lab.ts";
import { eventually } from "../support/process/eventually.ts";
import { isAlive, startSystem, type System } from "../support/process/system.ts";

const script = "core/machine/adapters/speech/main.ts";
const text = "Hello, and welcome to the switchboard. Your call is important to us.";

/** A Client whose calls get this markup; resolves with it once it is made. */
async function client(system: System, app: AppServer, document: string) {
  app.pages.set("/voice", document);
  const phone = await system.phone("alice");
  const [known] = await system.get("Clients.json?Login=alice");
  await system.post(`Clients/${known.sid}.json`, { VoiceUrl: `${app.url}/voice` });
  return phone;
}

/** Audio that a phone receives in a call until the service hangs up, in seconds. */
async function hear(system: System, app: AppServer, document: string) {
  const alice = await client(system, app, document);
  const socket = await plainSocket();
  try {
    const dialog = await alice.call("anybody", { sdp: plainOffer(socket.port) }).answered;
    socket.send(portOf(dialog.remoteSdp));
    const packets = await socket.next(150, isSound); // Three seconds of it.
    await dialog.ended;
    return voiceIn({ pcm: soundOf("PCMU", packets), sampleRate: 8_000 });
  } finally {
    await socket.close();
  }
}

const engines: [what: string, env: Record<string, string>, engine: RegExp][] = [
  ["what is installed", {}, /Text-to-speech: (espeak-ng|flite)/],
  ["itself where nothing is", { PATH: "/nowhere" }, /Text-to-speech: espeak-ng \(npm\)/],
];
for (const [what, env, engine] of engines) {
  Deno.test({
    name: `deno task start speaks to a phone, by ${what}`,
    timeout: 240_000,
    async fn() {
      await using app = startAppServer();
      await using system = await startSystem({ env: { RTP_PORTS: "0", ...env } });

      const { voicedS } = await hear(system, app, `<Response><Say>${text}</Say></Response>`);

      assert.match(system.output(), engine);
      assert.ok(voicedS > 1.5, `${voicedS} s are voiced`);
      const { notifications } = await system.get("Notifications.json");
      assert.deepEqual(notifications, []);
    },
  });
}

Deno.test({
  name: "a Say without speech, or not by its voice, leaves a Notification",
  timeout: 240_000,
  async fn() {
    await using app = startAppServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const document =
      '<Response><Say language="tlh">nuqneH</Say><Redirect>/on</Redirect></Response>';
    const alice = await client(system, app, document);
    const socket = await plainSocket();
    const dialog = await alice.call("anybody", { sdp: plainOffer(socket.port) }).answered;
    socket.send(portOf(dialog.remoteSdp));
    await app.asked("/on");
    await dialog.ended;
    await socket.close();

    const { notifications: [notice] } = await system.get("Notifications.json");
    assert.equal(notice.error_code, 13241);
    assert.match(notice.message_text, /^Cannot say the text: .*Cannot speak "tlh"/);

    const strange = `<Response><Say voice="Zarathustra">${text}</Say></Response>`;
    const { voicedS } = await hear(system, app, strange);

    assert.ok(voicedS > 1.5, `${voicedS} s are voiced`);
    await eventually("a Notification of the voice", async () => {
      const { notifications: [last] } = await system.get("Notifications.json");
      return /voice "Zarathustra".*; it is said by "woman"$/.test(last.message_text);
    });
  },
});

Deno.test({
  name: "ESPEAK_PACKAGE=false leaves the npm package out, and the Notification names the remedy",
  timeout: 240_000,
  async fn() {
    await using app = startAppServer();
    const env = { RTP_PORTS: "0", PATH: "/nowhere", ESPEAK_PACKAGE: "false" };
    await using system = await startSystem({ env });
    const document = `<Response><Say>${text}</Say><Redirect>/on</Redirect></Response>`;
    const alice = await client(system, app, document);
    const socket = await plainSocket();
    const dialog = await alice.call("anybody", { sdp: plainOffer(socket.port) }).answered;
    socket.send(portOf(dialog.remoteSdp));
    await app.asked("/on");
    await dialog.ended;
    await socket.close();

    const { notifications: [notice] } = await system.get("Notifications.json");
    assert.equal(notice.error_code, 13241);
    assert.match(notice.message_text, /install espeak-ng or flite, set SPEECH_URL/);
    assert.doesNotMatch(system.output(), /espeak-ng \(npm\)/);
  },
});

Deno.test({
  name: "the speech process is started again, answers its own service alone, and is left out",
  timeout: 240_000,
  async fn() {
    const provider = "http://127.0.0.1:9";
    {
      await using system = await startSystem({
        env: { SPEECH_URL: provider, RECOGNITION_URL: provider },
      });
      assert.deepEqual(system.pids(script), []);
      assert.equal(system.pids("main.ts").length, 1);
    }
    await using app = startAppServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const [pid] = await eventually("it is there", () => {
      const pids = system.pids(script);
      return system.output().includes("Text-to-speech:") && pids.length === 1 && pids;
    });
    const stranger = await fetch(`${system.speechUrl}/health`);
    assert.equal(stranger.status, 401);
    await stranger.body?.cancel();

    Deno.kill(pid!, "SIGKILL");
    await eventually("it is gone", () => !isAlive(pid!));
    await eventually("another one speaks", async () => {
      const answer = await fetch(`${system.speechUrl}/health`).catch(() => null);
      await answer?.body?.cancel();
      return answer?.status === 401;
    });
    const { voicedS } = await hear(
      system,
      app,
      `<Response><Say voice="man">${text}</Say></Response>`,
    );
    assert.ok(voicedS > 1.5, `${voicedS} s are voiced`);
  },
});

/** Speech of flite for a text, in frames of 20 ms, with a pause after it. */
async function spoken(text: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const directory = await Deno.makeTempDir();
  const { signal } = new AbortController();
  const utterance = { text, voice: "rms", language: "en-US", speed: 1 };
  const sound = await fliteProgram(directory).speak(utterance, signal);
  await Deno.remove(directory, { recursive: true });
  const { pcm } = asTelephone(sound);
  const frames = Array.from(
    { length: Math.floor(pcm.length / 160) },
    (_, i) => encodeG711("PCMU", pcm.slice(i * 160, (i + 1) * 160)),
  );
  return [...frames, ...Array(150).fill(encodeG711("PCMU", new Int16Array(160)))];
}

/** Speaks in real time, later where it is late; silence while there are no frames. */
function speakTo(socket: PlainSocket, port: number) {
  const silence = encodeG711("PCMU", new Int16Array(160));
  const frames: Uint8Array<ArrayBuffer>[] = [];
  let next = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    for (next = Math.max(next, now - 100); next < now; next += 20) {
      socket.send(port, { payload: frames.shift() ?? silence });
    }
  }, 20);
  return {
    say: (more: Uint8Array<ArrayBuffer>[]) => void frames.push(...more),
    stop: () => clearInterval(timer),
  };
}

programTest(
  "pocketsphinx_continuous",
  "what a caller says is understood in a Gather, and transcribed from a Record",
  async () => {
    await using app = startAppServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const [choice, message] = await Promise.all([
      spoken("billing department"),
      spoken("the train to the city leaves in the morning"),
    ]);
    app.pages.set(
      "/heard",
      '<Response><Record timeout="2" playBeep="false" transcribe="true" transcribeCallback="/text"/></Response>',
    );
    const alice = await client(
      system,
      app,
      '<Response><Gather input="speech" hints="Sales, Billing department, Operator" action="/heard" timeout="20"/></Response>',
    );
    const socket = await plainSocket();
    const dialog = await alice.call("menu", { sdp: plainOffer(socket.port) }).answered;
    const mouth = speakTo(socket, portOf(dialog.remoteSdp));
    try {
      mouth.say(choice);
      const { SpeechResult, Confidence } = await app.asked("/heard");
      assert.deepEqual([SpeechResult, Confidence], ["Billing department", "0.6"]);
      mouth.say(message);
      const told = await app.asked("/text");
      assert.equal(told.TranscriptionStatus, "completed");
      const words = told.TranscriptionText!.split(" ");
      const right = ["train", "city", "leaves", "morning"].filter((word) => words.includes(word));
      assert.ok(right.length >= 2, told.TranscriptionText);
      assert.match(told.RecordingUrl!, /\/Recordings\/RE/);
    } finally {
      mouth.stop();
      await socket.close();
    }
  },
);
