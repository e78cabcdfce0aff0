import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/app_server.ts";
import { isSound, plainOffer, plainSocket, portOf, soundOf } from "../support/plain_peer.ts";
import { voiceIn } from "../support/speech_lab.ts";
import { eventually, isAlive, startSystem, type System } from "../support/system.ts";

const script = "core/host/speech/main.ts";
const text = "Hello, and welcome to the switchboard. Your call is important to us.";

/** A Client whose calls get this markup; resolves with it once it is made. */
async function client(system: System, app: AppServer, document: string) {
  app.pages.set("/voice", document);
  const phone = await system.phone("alice");
  const [known] = await system.get("Clients.json?Login=alice");
  await system.post(`Clients/${known.sid}.json`, { VoiceUrl: `${app.url}/voice` });
  return phone;
}

/** What a phone hears of a call until the service hangs up, in seconds. */
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
  ["what is installed", {}, /Speech is made by (espeak-ng|flite)/],
  ["itself where nothing is", { PATH: "/nowhere" }, /Speech is made by espeak-ng \(npm\)/],
];
for (const [what, env, engine] of engines) {
  Deno.test({
    name: `deno task start speaks to a phone, by ${what}`,
    timeout: 90_000,
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
  name: "a Say that cannot be said is told of in a Notification, and the call goes on",
  timeout: 60_000,
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
  },
});

Deno.test({
  name: "the speech process is started again, answers its own service alone, and is left out",
  timeout: 90_000,
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
      return system.output().includes("Speech is made by") && pids.length === 1 && pids;
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
