import assert from "node:assert/strict";
import type { RecordingPart } from "../../core/protocol/recordings.ts";
import { closeLostCompanions } from "../../core/reports/heartbeats.ts";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Blobs } from "../../core/model/ports/providers.ts";
import type { RecordingContext } from "../../core/model/values/recording_context.ts";
import { takePart } from "../../core/recordings/take_part.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, notifications, xml } from "../support/service/hand_companion.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { memoryBlobs } from "../support/service/memory_blobs.ts";
import { readRecording } from "../support/service/recorded.ts";

const sid = `RE${"1".repeat(32)}`;
const callback = { url: "https://app.test/recorded", method: "POST" } as const;

/** A call in progress, and the companion that has it. */
async function answeredCall(app: App) {
  const call = await made(app.root, "Calls", {
    From: "+15550001",
    To: "client:alice",
    Url: "https://app.test/voice",
  });
  const far = companionOf(app, call.sid);
  await app.ports.companions.beat({
    id: "companion",
    runId: "run",
    seenAt: app.clock.now,
    registered: 0,
  });
  await far.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
  await far.report({ type: "answered" });
  return { sid: call.sid as string, far };
}

/** One second of a channel, all of whose samples are the same. */
const second = (value: number) => new Uint8Array(new Int16Array(8_000).fill(value).buffer);

/** Sends a part of a recording of one channel. */
function send(
  app: App,
  leg: string,
  { at = 0, seconds = [1], extra = {}, ...wanted }: Partial<RecordingPart> & {
    seconds?: number[];
    extra?: RecordingContext;
  } = {},
): Promise<boolean> {
  const data = new Uint8Array(seconds.flatMap((value) => [...second(value)])).toBase64();
  const serviceContext = { statusCallback: callback, ...extra };
  const recording = { sid, accountSid: app.root.sid, serviceContext };
  return takePart({ recording, leg, channels: 1, at: at * 16_000, data, ...wanted }, app.ports);
}

const recordOf = async (app: App) => (await app.root.get(`Recordings/${sid}.json`)).json();

/** The audio, by the link that needs no credentials. */
async function audioOf(app: App) {
  const { file_uri } = await recordOf(app);
  const answer = await app.http.request(file_uri.replace("http://api.test", ""));
  assert.equal(answer.status, 200);
  return readRecording(new Uint8Array(await answer.arrayBuffer()));
}

/** The forms that were sent to an address. */
async function sentTo(app: App, url: string): Promise<Record<string, string>[]> {
  await app.runJobs();
  const sent = app.fetched.filter((request) => request.url === url);
  const read = async (one: Request) =>
    Object.fromEntries(new URLSearchParams(await one.clone().text()));
  return await Promise.all(sent.map(read));
}

const values = (samples: Int16Array) =>
  Array.from({ length: samples.length / 8_000 }, (_, i) => samples[i * 8_000 + 4_000]);

Deno.test("a recording is a whole WAV file after each part, and completed by the last", async () => {
  using app = await startApp();
  const call = await answeredCall(app);

  assert.equal(await send(app, call.sid, { seconds: [1, 2] }), true);
  const begun = await recordOf(app);
  assert.deepEqual([begun.status, begun.duration, begun.call_sid], ["in-progress", "0", call.sid]);
  assert.deepEqual(values((await audioOf(app)).samples), [1, 2]);
  await send(app, call.sid, { at: 2, seconds: [3] });
  await send(app, call.sid, { at: 2, seconds: [3] });
  await send(app, call.sid, { at: 0, seconds: [1, 2] });
  assert.equal((await audioOf(app)).dataBytes, 48_000);
  await send(app, call.sid, { at: 3, seconds: [4], end: "whole" });
  assert.equal(await send(app, call.sid, { at: 3, seconds: [4], end: "whole" }), true);

  const { samples, ...head } = await audioOf(app);
  assert.deepEqual(values(samples), [1, 2, 3, 4]);
  assert.deepEqual(head, {
    tags: "RIFF WAVE fmt  data",
    riffBytes: 36 + 64_000,
    format: 1,
    channels: 1,
    sampleRate: 8_000,
    bits: 16,
    dataBytes: 64_000,
  });
  const { status, duration, file_uri } = await recordOf(app);
  assert.deepEqual([status, duration], ["completed", "4"]);
  const listed = (await app.root.get(`Calls/${call.sid}/Recordings.json`)).json();
  assert.deepEqual([listed.total, listed.recordings[0].sid], [1, sid]);
  assert.deepEqual(await sentTo(app, callback.url), [{
    AccountSid: app.root.sid,
    CallSid: call.sid,
    RecordingSid: sid,
    RecordingUrl: file_uri,
    RecordingStatus: "completed",
    RecordingDuration: "4",
    RecordingChannels: "1",
    RecordingStartTime: "Wed, 31 Jan 2024 12:00:00 +0000",
    RecordingTrack: "both",
  }]);
  assert.deepEqual(await notifications(app), []);
});

Deno.test("audio that is lost between two parts becomes silence", async () => {
  using app = await startApp();
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [1] });
  await send(app, call.sid, { at: 2, seconds: [3], end: "whole" });

  assert.deepEqual(values((await audioOf(app)).samples), [1, 0, 3]);
});

Deno.test("a recording that was cut off has failed, and plays its audio so far", async () => {
  using app = await startApp();
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [1, 2] });
  await send(app, call.sid, { at: 2, seconds: [], end: "cut" });

  assert.deepEqual(
    [(await recordOf(app)).status, (await recordOf(app)).duration],
    ["failed", "2"],
  );
  assert.deepEqual(values((await audioOf(app)).samples), [1, 2]);
  assert.equal((await sentTo(app, callback.url))[0]?.RecordingStatus, "failed");
  assert.deepEqual(await notifications(app), [
    `Cannot complete the recording: ${sid} was cut off after 2 s`,
  ]);
});

Deno.test("the stored part of a recording that was cut off is transcribed, with its callback, where it was ordered", async () => {
  const transcriber = { transcribe: () => Promise.resolve("please call") };
  using app = await startApp({ ports: { transcriber } });
  const call = await answeredCall(app);
  const extra = {
    transcribe: true,
    transcribeCallback: { url: "https://app.test/text", method: "POST" as const },
  };
  await send(app, call.sid, { seconds: [1, 2], extra });
  await send(app, call.sid, { at: 2, seconds: [], end: "cut", extra });

  assert.equal((await recordOf(app)).status, "failed");
  const [told] = await sentTo(app, "https://app.test/text");
  assert.deepEqual(
    [told?.TranscriptionStatus, told?.TranscriptionText, told?.RecordingDuration],
    ["completed", "please call", "2"],
  );
  assert.equal((await notifications(app)).length, 1);
});

Deno.test("unwanted parts are refused: of an unknown call, deleted, or from the middle", async () => {
  using app = await startApp();
  const call = await answeredCall(app);
  assert.equal(await send(app, `CA${"9".repeat(32)}`), false);
  assert.equal(await send(app, call.sid, { at: 3 }), false);
  assert.equal(await send(app, call.sid, { end: "discard" }), false);
  assert.equal((await app.root.get(`Recordings/${sid}.json`)).status, 404);

  await send(app, call.sid);
  assert.equal((await app.root.delete(`Recordings/${sid}.json`)).status, 204);
  assert.equal(await send(app, call.sid, { at: 1 }), false);
  await app.runJobs();
  assert.equal(await app.ports.blobs.size(app.root.sid, sid), null);
});

Deno.test("a removed recording stays removed, whatever of it arrives later", async () => {
  using app = await startApp();
  const call = await answeredCall(app);
  const assertGone = async (status = 204) => {
    assert.equal((await app.root.delete(`Recordings/${sid}.json`)).status, status);
    for (const part of [{}, { at: 1 }, { at: 1, end: "whole" }, { end: "whole" }] as const) {
      assert.equal(await send(app, call.sid, part), false);
    }
    await app.runJobs();
    assert.equal((await app.root.get(`Recordings/${sid}.json`)).status, 404);
    assert.equal(await app.ports.blobs.size(app.root.sid, sid), null);
  };
  await send(app, call.sid);
  await assertGone();
  await assertGone(404);
  assert.deepEqual(await sentTo(app, callback.url), []);
});

Deno.test("a recording that is removed while a part is written leaves no audio", async () => {
  const memory = memoryBlobs();
  let remove: (() => Promise<unknown>) | undefined;
  const blobs: Ports["blobs"] = {
    ...memory,
    async write(...given) {
      await remove?.();
      remove = undefined;
      await memory.write(...given);
    },
  };
  using app = await startApp({ ports: { blobs } });
  const call = await answeredCall(app);
  await send(app, call.sid);
  for (const end of [undefined, "whole"] as const) {
    remove = async () => {
      await app.root.delete(`Recordings/${sid}.json`);
      await app.runJobs();
    };
    assert.equal(await send(app, call.sid, { at: 1, ...end && { end } }), false);
    assert.equal(await app.ports.blobs.size(app.root.sid, sid), null);
  }
});

Deno.test("a recording that is discarded leaves nothing behind", async () => {
  using app = await startApp();
  const call = await answeredCall(app);
  await send(app, call.sid);

  assert.equal(await send(app, call.sid, { at: 1, seconds: [], end: "discard" }), true);

  assert.equal((await app.root.get("Recordings.json")).json().total, 0);
  await app.runJobs();
  assert.equal(await app.ports.blobs.size(app.root.sid, sid), null);
  assert.deepEqual(await sentTo(app, callback.url), []);
});

Deno.test("a full disk makes one Notification, and the part can come again", async () => {
  const memory = memoryBlobs();
  let isFull = false;
  const blobs: Blobs = {
    ...memory,
    write: (...args) =>
      isFull ? Promise.reject(new Error("No space left on device")) : memory.write(...args),
  };
  using app = await startApp({ ports: { blobs } });
  const call = await answeredCall(app);
  await send(app, call.sid);

  isFull = true;
  const unavailable = (error: unknown) => error instanceof Fault && error.kind === "unavailable";
  await assert.rejects(send(app, call.sid, { at: 1, seconds: [2] }), unavailable);
  await assert.rejects(send(app, call.sid, { at: 1, seconds: [2] }), unavailable);
  isFull = false;
  await send(app, call.sid, { at: 1, seconds: [2], end: "whole" });

  assert.deepEqual(values((await audioOf(app)).samples), [1, 2]);
  assert.equal((await recordOf(app)).status, "completed");
  assert.deepEqual(await notifications(app), [
    `Cannot store the audio of a recording: ${sid}: the disk of the service is full`,
  ]);
});

Deno.test("the recordings of a companion that is gone are ended with its calls", async () => {
  using app = await startApp();
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [1, 2, 3] });
  // As if the service was killed before the header was written.
  await app.ports.blobs.write(app.root.sid, sid, 44 + 48_000, second(4));

  app.clock.now += limits.companionLostMs + 1;
  await closeLostCompanions(app.ports);

  assert.deepEqual(
    [(await recordOf(app)).status, (await recordOf(app)).duration],
    ["failed", "4"],
  );
  const { samples, dataBytes } = await audioOf(app);
  assert.deepEqual([values(samples), dataBytes], [[1, 2, 3, 4], 64_000]);
  assert.equal(await send(app, call.sid, { at: 4 }), false);
  assert.equal((await sentTo(app, callback.url))[0]?.RecordingStatus, "failed");
});

Deno.test("a recording whose end never comes is ended after its call, and not during it", async () => {
  using app = await startApp();
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [1, 2] });
  for (let minutes = 0; minutes < 30; minutes++) {
    app.clock.now += limits.recordingCheckMs;
    await app.runJobs();
  }
  assert.equal((await recordOf(app)).status, "in-progress");
  await call.far.report({ type: "ended", outcome: "completed" });
  app.clock.now += limits.recordingCheckMs;
  await app.runJobs();
  assert.equal((await recordOf(app)).status, "in-progress");

  app.clock.now += limits.recordingForgottenMs;
  await app.runJobs();

  const { status, duration } = await recordOf(app);
  assert.deepEqual([status, duration], ["failed", "2"]);
  assert.equal((await notifications(app)).length, 1);
});

const recorded = (digits?: string) => ({
  type: "recorded" as const,
  recording: { sid, durationS: 7 },
  ...digits && { digits },
  action: { url: "https://app.test/next?a=1", method: "POST" as const, hops: 0 },
});

Deno.test("the action of Record is requested with the recording and the key", async () => {
  using app = await startApp();
  app.answers = () => xml("<Pause length='3'/>");
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [5], end: "whole" });

  const script = await call.far.report(recorded("#"), { wantsScript: true });

  assert.deepEqual(script, [{ type: "silence", seconds: 3 }, {
    type: "hangup",
    cause: "end-of-markup",
  }]);
  const [form] = await sentTo(app, "https://app.test/next?a=1");
  assert.deepEqual(
    [form?.RecordingSid, form?.RecordingDuration, form?.Digits, form?.CallSid],
    [sid, "7", "#", call.sid],
  );
  const audio = await app.http.request(form!.RecordingUrl!.replace("http://api.test", ""));
  assert.equal(audio.headers.get("content-type"), "audio/wav");
  assert.deepEqual(values(readRecording(new Uint8Array(await audio.arrayBuffer())).samples), [5]);
});

Deno.test("the action of a caller who hung up is requested once, and its response ignored", async () => {
  using app = await startApp();
  app.answers = () => xml("<Pause length='3'/>");
  const call = await answeredCall(app);

  assert.deepEqual(await call.far.report(recorded("hangup"), { wantsScript: false }), []);
  assert.deepEqual(await call.far.repeat(), []);

  const forms = await sentTo(app, "https://app.test/next?a=1");
  assert.deepEqual(
    forms.map((form) => [form.Digits, form.RecordingSid]),
    [["hangup", sid]],
  );
});

Deno.test("the action of a recorded Dial gets the recording, also after a hang-up", async () => {
  using app = await startApp();
  app.answers = () => xml("");
  const call = await answeredCall(app);
  const { type: _, digits: __, ...rest } = { digits: "", ...recorded() };
  const dialled = {
    type: "dialled",
    outcome: "completed",
    leg: `CA${"2".repeat(32)}`,
    durationS: 7,
    ringS: 1,
    ...rest,
  } as const;
  await call.far.report(dialled, { wantsScript: true });
  await call.far.report(dialled, { wantsScript: false });
  await call.far.report(dialled, { wantsScript: false, hasEnded: true });

  const forms = await sentTo(app, "https://app.test/next?a=1");
  assert.deepEqual(
    forms.map((form) => [form.DialCallStatus, form.RecordingSid, form.RecordingDuration]),
    Array(3).fill(["completed", sid, "7"]),
  );
  assert.deepEqual(
    forms.map(({ CallStatus }) => CallStatus),
    ["in-progress", "in-progress", "completed"],
  );
  assert.ok(forms.every(({ RecordingUrl }) => RecordingUrl?.includes(`${sid}.wav?Expires=`)));
});

Deno.test("audio that cannot be stored stays on disk, makes a Notification after a while, and is stored in the end", async () => {
  const settled: string[] = [];
  let refusal: string | null = "The object storage answered 403 AccessDenied";
  const blobs: Blobs = {
    ...memoryBlobs(),
    settle(_, sid) {
      if (refusal !== null) return Promise.reject(new Error(refusal));
      return Promise.resolve(void settled.push(sid));
    },
  };
  using app = await startApp({ ports: { blobs } });
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [1], end: "whole" });
  const stored = async () => (await app.ports.records.recordings.get(app.root.sid, sid))?.isStored;

  const told: number[] = [];
  for (let attempt = 1; attempt <= 5; attempt++) {
    await app.runJobs();
    told.push((await notifications(app)).length);
    app.clock.now += 3_600_000;
  }
  assert.deepEqual(told, [0, 0, 1, 1, 1]);
  assert.match(
    (await notifications(app))[0]!,
    /RE1+ stays on the disk of the service until a retry succeeds: .*403/,
  );
  assert.deepEqual([await stored(), values((await audioOf(app)).samples)], [false, [1]]);

  refusal = null;
  await app.runJobs();
  assert.deepEqual([await stored(), settled], [true, [sid]]);
});

Deno.test("audio that cannot be deleted is tried for hours, and makes a Notification at last", async () => {
  let [attempts, isDown] = [0, true];
  const memory = memoryBlobs();
  const blobs: Blobs = {
    ...memory,
    async remove(accountSid, sid) {
      attempts++;
      if (isDown) throw new Error("The object storage answered 503 SlowDown");
      await memory.remove(accountSid, sid);
    },
  };
  using app = await startApp({ ports: { blobs } });
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [1], end: "whole" });
  const hours = async (count: number) => {
    for (let hour = 0; hour < count * 2; hour++) {
      await app.runJobs();
      app.clock.now += 1_800_000;
    }
  };
  assert.equal((await app.root.delete(`Recordings/${sid}.json`)).status, 204);
  await hours(48);
  assert.deepEqual([attempts, (await notifications(app)).length], [limits.storeAttempts, 1]);
  assert.match((await notifications(app))[0]!, /Cannot delete the audio .* RE1+: .*503/);

  isDown = false;
  const other = app.ports.newSid("RE");
  const recording = { sid: other, accountSid: app.root.sid, serviceContext: {} };
  await send(app, call.sid, { recording, seconds: [2], end: "whole" });
  assert.notEqual(await memory.size(app.root.sid, other), null);
  assert.equal((await app.root.delete(`Recordings/${other}.json`)).status, 204);
  await hours(1);
  assert.equal(await memory.size(app.root.sid, other), null);
});

Deno.test("audio that can never be stored stays here, with one Notification", async () => {
  const settle = () => Promise.reject(new Error("The object storage answered 404 NoSuchBucket"));
  using app = await startApp({ ports: { blobs: { ...memoryBlobs(), settle } } });
  const call = await answeredCall(app);
  await send(app, call.sid, { seconds: [1], end: "whole" });
  for (let attempt = 1; attempt <= limits.storeAttempts; attempt++) {
    await app.runJobs();
    app.clock.now += 2 * 3_600_000;
  }

  assert.equal((await notifications(app)).length, 1);
  assert.deepEqual(values((await audioOf(app)).samples), [1]);
});
