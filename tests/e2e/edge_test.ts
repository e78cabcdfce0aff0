import assert from "node:assert/strict";
import { endChild } from "../support/process/end_child.ts";
import { eventually } from "../support/process/eventually.ts";
import { answers, freePorts, spawnDeno, spawnTask } from "../support/process/system.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { startDenokv } from "../support/service/denokv.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { readRecording, secondsOf } from "../support/service/recorded.ts";
import { startS3 } from "../support/service/s3_server.ts";
import { openVoice } from "../support/media/voice.ts";
import { portOf } from "../support/sip/plain_peer.ts";
import { openSoftphone } from "../support/sip/softphone.ts";

/** `main.ts` with the permissions of an edge platform: the network and the environment, no file. */
const spawnEdge = (env: Record<string, string>) =>
  spawnDeno(
    [Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-net", "--allow-env", "main.ts"],
    { env: { EDGE: "true", ...env } },
  );

const secrets = {
  SECRET_KEY: "the key of the edge and its companions",
  BRIDGE_SECRET: "the secret of the edge and its companions",
};
const authToken = "0123456789abcdef0123456789abcdef";

Deno.test("the service at an edge, without a file, rings a phone and keeps a recording", async () => {
  await using app = startAppServer();
  app.pages.set(
    "/voice",
    `<Response><Record playBeep="false" timeout="2" action="/done"/></Response>`,
  );
  app.pages.set("/done", "<Response><Hangup/></Response>");
  const DATA_DIR = await Deno.makeTempDir();
  // Our own endpoint; `denokv` where DENOKV names it, which the gate does not install.
  await using store = Deno.env.has("DENOKV") ? await startDenokv(DATA_DIR) : startKvConnect();
  await using s3 = startS3();
  const [port, sipPort, bridgePort, speechPort] = freePorts(4) as [number, number, number, number];
  const shared = {
    ...secrets,
    PORT: String(port),
    BRIDGE_PORT: String(bridgePort),
    ALLOW_PRIVATE_URLS: "true",
  };
  const edge = spawnEdge({
    ...shared,
    KV_URL: store.url,
    ADMIN_AUTH_TOKEN: authToken,
    S3_ENDPOINT: s3.url,
    S3_BUCKET: s3.bucket,
    S3_REGION: s3.region,
    S3_ACCESS_KEY: s3.accessKeyId,
    S3_SECRET_KEY: s3.secretAccessKey,
  });
  const companion = spawnTask(["sip"], {
    ...shared,
    DATA_DIR,
    SIP_WS_PORT: String(sipPort),
    SPEECH_PORT: String(speechPort),
    RTP_PORTS: "0",
  });
  try {
    const baseUrl = `http://127.0.0.1:${port}`;
    await Promise.race([
      edge.ended.then((code) => assert.fail(`it ended with ${code}: ${edge.output()}`)),
      answers(`${baseUrl}/ready`),
    ]);
    const [, root] = /Root account: (AC\w+)/.exec(edge.output())!;
    const request = async (path: string, form?: Record<string, string>) => {
      const response = await fetch(`${baseUrl}/2012-04-24/Accounts/${root}/${path}`, {
        headers: { Authorization: `Basic ${btoa(`${root}:${authToken}`)}` },
        ...form && { method: "POST", body: new URLSearchParams(form) },
      });
      assert.equal(response.status, 200, path);
      return await response.json();
    };
    const VoiceUrl = `${app.url}/voice`;
    await request("Clients.json", { Login: "alice", Password: "alice-secret", VoiceUrl });
    const voice = await openVoice();
    const phone = await openSoftphone({
      url: `ws://127.0.0.1:${sipPort}`,
      login: "alice",
      password: "alice-secret",
      domain: "localhost",
    });
    assert.equal((await phone.register()).status, 200);
    const form = { From: "me", To: "client:alice", Url: `${app.url}/voice` };
    const { sid } = await request("Calls.json", form);
    (await phone.nextCall()).decline(486);
    await eventually(
      "the call that rang her is over",
      async () => (await request(`Calls/${sid}.json`)).status === "busy",
    );

    const dialog = await phone.call("+15550009", { sdp: voice.sdp }).answered;
    voice.speakTo(portOf(dialog.remoteSdp));
    voice.say(600);
    await eventually("she has spoken", () => voice.spoken() > 6);
    voice.say(null);

    const { RecordingSid } = await app.asked("/done");
    await dialog.ended;
    const key = `${root}/${RecordingSid}.wav`;
    await eventually("the storage has the audio", () => s3.objects.has(key));
    const heardS = secondsOf(600, readRecording(s3.objects.get(key)!.bytes).samples);
    assert.ok(heardS > 5, `${heardS} s`);
    const { notifications } = await request("Notifications.json");
    assert.deepEqual(notifications, []);
    const page = await fetch(`${baseUrl}/docs`);
    await page.body?.cancel();
    assert.equal(page.status, 404, "without files there is no documentation");
    await phone.close();
    await voice.close();
  } finally {
    await endChild(companion.child);
    await companion.ended;
    await endChild(edge.child);
    await edge.ended;
    await Deno.remove(DATA_DIR, { recursive: true });
  }
});

Deno.test("a service at an edge names the secrets that it lacks, and ends", async () => {
  const { ended, output } = spawnEdge({ BRIDGE_SECRET: secrets.BRIDGE_SECRET });
  assert.equal(await ended, 1);
  assert.match(output(), /SECRET_KEY, ADMIN_AUTH_TOKEN, S3_BUCKET must be set with EDGE=true/);
});
