import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { portOf } from "../support/sip/plain_peer.ts";
import { readRecording, secondsOf } from "../support/service/recorded.ts";
import { type S3Server, startS3 } from "../support/service/s3_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { openVoice } from "../support/media/voice.ts";

/** Markup of the call after its recording. */
const afterwards = "<Response><Pause length='60'/></Response>";

/** A whole installation, and alice in a call that records what she says: 600 Hz, from the start. */
async function recordedCall(env: Record<string, string> = {}) {
  const app = startAppServer();
  const system = await startSystem({ env: { RTP_PORTS: "0", ...env } });
  app.pages.set("/done", afterwards);
  app.pages.set(
    "/voice",
    `<Response><Record action="/done" timeout="3" playBeep="false" recordingStatusCallback="/status"/></Response>`,
  );
  await system.post("Clients.json", {
    Login: "alice",
    Password: "alice-secret",
    VoiceUrl: `${app.url}/voice`,
  });
  const phone = await system.phone("alice");
  const voice = await openVoice();
  const dialog = await phone.call("+15550009", { sdp: voice.sdp }).answered;
  voice.speakTo(portOf(dialog.remoteSdp));
  voice.say(600);
  return {
    app,
    system,
    voice,
    dialog,
    async [Symbol.asyncDispose]() {
      await voice.close();
      await system[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** The only recording, once it meets the condition. */
const recordingOf = (system: System, isReady: (recording: Recording) => boolean) =>
  eventually("the recording", async () => {
    const { recordings } = await system.get("Recordings.json");
    return (recordings as Recording[]).find(isReady);
  });

interface Recording {
  sid: string;
  status: string;
  duration: string;
  file_uri: string;
  call_sid: string;
}

async function audioOf(uri: string) {
  const answer = await fetch(uri);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "audio/wav");
  const file = await answer.bytes();
  const read = readRecording(file);
  assert.deepEqual([read.tags, read.dataBytes], ["RIFF WAVE fmt  data", file.length - 44]);
  return { ...read, heardS: secondsOf(600, read.samples) };
}

/** Until the service has some of what is being recorded. */
async function underWay(system: System, seconds: number): Promise<void> {
  await eventually(`${seconds} s are kept`, async () => {
    const { recordings } = await system.get("Recordings.json");
    const [one] = recordings as Recording[];
    if (one === undefined) return false;
    assert.equal(one.status, "in-progress");
    // At its very beginning there is no header yet.
    const head = await fetch(one.file_uri, { method: "HEAD" });
    if (Number(head.headers.get("content-length")) < seconds * 16_000) return false;
    return (await audioOf(one.file_uri)).samples.length >= seconds * 8_000;
  });
}

/** Kills a process of the system and waits until the supervisor has started another. */
async function killHard(system: System, script: "main.ts" | "sip/main.ts"): Promise<void> {
  const [pid] = system.pids(script) as [number];
  Deno.kill(pid, "SIGKILL");
  await eventually(`${script} runs again`, () => {
    const [now] = system.pids(script);
    return now !== undefined && now !== pid;
  });
  await system.ready();
}

const asked = (app: AppServer, path: string) =>
  eventually(`${path} is asked`, () => app.sent(path)[0]);

Deno.test("the application gets the caller's message as a WAV file when its action is requested", async () => {
  await using call = await recordedCall();
  const { app, system, voice } = call;
  await eventually("she has spoken", () => voice.spoken() > 2.5);
  voice.say(null);
  const spoken = voice.spoken();

  const done = await asked(app, "/done");
  const { heardS, channels, sampleRate } = await audioOf(done.RecordingUrl!);
  assert.ok(Math.abs(heardS - spoken) < 1, `${heardS} s of ${spoken} s`);
  assert.deepEqual([channels, sampleRate], [1, 8_000]);
  // By a Worker, which the permissions of the service have to allow.
  const mp3 = await fetch(done.RecordingUrl!.replace(".wav", ".mp3"));
  assert.deepEqual([mp3.status, mp3.headers.get("content-type")], [200, "audio/mpeg"]);
  const { length } = await mp3.bytes();
  assert.equal(length, Number(mp3.headers.get("content-length")));
  const status = await asked(app, "/status");
  assert.deepEqual(
    [status.RecordingSid, status.RecordingStatus, status.CallSid],
    [done.RecordingSid, "completed", done.CallSid],
  );
  const part = await fetch(done.RecordingUrl!, { headers: { range: "bytes=0-3" } });
  assert.deepEqual([part.status, await part.text()], [206, "RIFF"]);
  const { recordings } = await system.get(`Calls/${done.CallSid}/Recordings.json`);
  assert.deepEqual(recordings.map((one: Recording) => one.sid), [done.RecordingSid]);
});

Deno.test("a companion that is killed leaves a recording that plays and says that it broke off", async () => {
  await using call = await recordedCall();
  const { app, system } = call;
  await underWay(system, 4);
  await killHard(system, "sip/main.ts");

  const failed = await recordingOf(system, ({ status }) => status !== "in-progress");
  const { heardS } = await audioOf(failed.file_uri);
  assert.equal(failed.status, "failed");
  assert.ok(heardS > 3.5 && Number(failed.duration) >= 4, `${heardS} s of ${failed.duration} s`);
  assert.equal((await asked(app, "/status")).RecordingStatus, "failed");
  const { notifications } = await system.get("Notifications.json");
  const texts: string[] = notifications.map((one: { message_text: string }) => one.message_text);
  assert.ok(texts.some((text) => text.includes(`${failed.sid} was cut off`)), texts.join());
});

Deno.test("a service that is killed misses nothing of a recording", async () => {
  await using call = await recordedCall();
  const { app, system, voice } = call;
  await underWay(system, 4);
  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  const killedAt = voice.spoken();
  await eventually("she speaks on meanwhile", () => voice.spoken() > killedAt + 3);
  voice.say(null);
  const spoken = voice.spoken();
  await system.ready();

  const done = await asked(app, "/done");
  const { heardS } = await audioOf(done.RecordingUrl!);
  assert.ok(Math.abs(heardS - spoken) < 1.5, `${heardS} s of ${spoken} s`);
  assert.equal((await recordingOf(system, () => true)).status, "completed");
});

Deno.test("finished audio is moved to object storage, and served from there", async () => {
  await using s3: S3Server = startS3();
  await using call = await recordedCall({
    S3_ENDPOINT: s3.url,
    S3_BUCKET: s3.bucket,
    S3_REGION: s3.region,
    S3_ACCESS_KEY: s3.accessKeyId,
    S3_SECRET_KEY: s3.secretAccessKey,
  });
  const { app, system, voice } = call;
  await eventually("she has spoken", () => voice.spoken() > 1.5);
  voice.say(null);
  const done = await asked(app, "/done");
  const key = `${system.accountSid}/${done.RecordingSid}.wav`;
  await eventually("the storage has it", () => s3.objects.has(key));
  await eventually("it is known to be there", async () => {
    const answer = await fetch(done.RecordingUrl!, { redirect: "manual" });
    await answer.body?.cancel();
    return answer.headers.get("location")?.startsWith(`${s3.url}/${s3.bucket}/${key}?`);
  });

  assert.ok((await audioOf(done.RecordingUrl!)).heardS > 1);
  const folder = `${system.directory}/recordings/${system.accountSid}`;
  await eventually(
    "nothing is left here",
    async () => (await Array.fromAsync(Deno.readDir(folder))).length === 0,
  );
  assert.deepEqual(s3.seen.filter((what) => what.startsWith("403")), []);
});
