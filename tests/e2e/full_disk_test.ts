import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { readRecording, secondsOf } from "../support/service/recorded.ts";
import { smallDisk } from "../support/process/small_disk.ts";
import { startTextCarrier } from "../support/service/text_carrier.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { openVoice, type Voice } from "../support/media/voice.ts";
import { portOf } from "../support/sip/plain_peer.ts";

/** Longer than a companion may be silent before its calls are ended. */
const failingMs = 17_000;

const closing = (voice: Voice) =>
  Object.assign(voice, { [Symbol.asyncDispose]: () => voice.close() });

async function readiness(system: System) {
  const answer = await fetch(`${system.baseUrl}/ready`);
  return { status: answer.status, ...await answer.json() };
}

Deno.test("on a full disk nothing is sent again, calls go on, and all ends well afterwards", {
  ignore: Deno.uid() !== 0, // It mounts a disk.
}, async () => {
  await using disk = await smallDisk();
  await using app = startAppServer();
  await using carrier = startTextCarrier();
  await using system = await startSystem({
    directory: disk.directory,
    env: { RTP_PORTS: "0", SMS_URL: carrier.url },
  });
  const { url } = app;
  app.pages.set("/talk", "<Response><Echo timeLimit='3600'/></Response>");
  app.pages.set("/done", "<Response><Hangup/></Response>");
  app.pages.set(
    "/record",
    `<Response><Record action="/done" timeout="30" playBeep="false" finishOnKey=""
       recordingStatusCallback="/recorded"/></Response>`,
  );
  const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];
  const call = async (login: string, path: string) =>
    await system.post("Calls.json", {
      From: "+15005550006",
      To: `client:${login}`,
      Url: `${url}${path}`,
      StatusCallback: `${url}/status`,
      StatusCallbackEvent: "initiated ringing answered completed",
    });
  const talking = await call("alice", "/talk");
  await using quiet = closing(await openVoice());
  await (await alice.nextPlainCall()).answer(quiet.sdp);
  const recorded = await call("bob", "/record");
  await using voice = closing(await openVoice());
  const dialog = await (await bob.nextPlainCall()).answer(voice.sdp);
  voice.speakTo(portOf(dialog.remoteSdp));
  voice.say(600);
  await eventually("she has spoken", () => voice.spoken() > 3);
  await system.post("SMS/Messages.json", {
    From: "+15005550006",
    To: "+4915112345678",
    Body: "hello",
    StatusCallback: `${url}/text`,
  });
  await eventually("the carrier has the text", () => carrier.texts.length > 0);
  for (const { sid } of [talking, recorded]) {
    await app.asked("/status", (form) => form.CallSid === sid && form.CallStatus === "in-progress");
  }
  const before = app.sent("/status").length;

  await disk.fill();
  carrier.take();
  const named = await eventually("/ready names the store", async () => {
    const answer = await readiness(system);
    return answer.store === "unwritable" && answer;
  });
  assert.deepEqual([named.status, named.companion], [503, "ok"]);
  assert.match(named.message, /its disk is full/);
  const headers = { authorization: `Basic ${btoa(`${system.accountSid}:${system.authToken}`)}` };
  const calls = `${system.baseUrl}/2012-04-24/Accounts/${system.accountSid}/Calls.json`;
  const body = new URLSearchParams({ From: "a", To: "client:alice", Url: `${url}/talk` });
  const refused = await fetch(calls, { method: "POST", headers, body });
  assert.deepEqual([refused.status, (await refused.json()).code], [503, 20503]);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  // The recorded call ends meanwhile; the other one goes on.
  voice.say(null);
  const spoken = voice.spoken();
  await dialog.bye();
  const since = performance.now();
  await eventually("a companion could have been taken for lost", async () => {
    assert.equal((await system.get(`Calls/${talking.sid}.json`)).status, "in-progress");
    return performance.now() - since > failingMs;
  });
  assert.equal(carrier.texts.length, 1);
  assert.deepEqual([app.sent("/status").length, app.sent("/text").length], [before, 0]);

  await disk.free();
  await app.asked(
    "/status",
    ({ CallSid, CallStatus }) => CallSid === recorded.sid && CallStatus === "completed",
  );
  await app.asked("/text");
  const { RecordingStatus, RecordingUrl } = await app.asked("/recorded");
  assert.equal(RecordingStatus, "completed");
  const { samples } = readRecording(await (await fetch(RecordingUrl!)).bytes());
  const heardS = secondsOf(600, samples);
  assert.ok(Math.abs(heardS - spoken) < 1.5, `${heardS} s of ${spoken} s`);
  assert.equal((await system.get(`Calls/${talking.sid}.json`)).status, "in-progress");
  await system.post(`Calls/${talking.sid}.json`, { Status: "completed" });
  await app.asked(
    "/status",
    ({ CallSid, CallStatus }) => CallSid === talking.sid && CallStatus === "completed",
  );
  assert.deepEqual((await readiness(system)).store, "ok");
  const told = app.sent("/status").map(({ CallSid, CallStatus }) => `${CallSid} ${CallStatus}`);
  assert.deepEqual([told.length, new Set(told).size], [before + 2, before + 2]);
  assert.equal(carrier.texts.length, 1);
  const { notifications } = await system.get("Notifications.json");
  const codes = notifications.map((one: { error_code: number }) => one.error_code);
  assert.ok(codes.includes(20506), codes.join());
  assert.ok(!codes.includes(13235), codes.join());
});
