import assert from "node:assert/strict";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Transcriber } from "../../core/model/ports/providers.ts";
import { type App, startApp } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";

const words = "please call me back";

/** A transcriber of the test's, and the audio and language it was given. */
function hearing(transcribe: () => Promise<string> = () => Promise.resolve(words)) {
  const asked: { audio: string; language: string | undefined }[] = [];
  const transcriber: Transcriber = {
    async transcribe({ open, language }) {
      asked.push({ audio: await new Response(await open()).text(), language });
      return await transcribe();
    },
  };
  return { asked, transcriber };
}

/** A recording of a call from one number to another, with its audio. */
async function recorded(app: App): Promise<string> {
  const sid = await makeSample(app, app.root, { name: "recordings" });
  await app.ports.blobs.write(app.root.sid, sid, 0, new TextEncoder().encode("RIFF and so on"));
  return sid;
}

async function notifications(app: App) {
  return (await app.root.get("Notifications.json")).json().notifications;
}

/** Posts, and runs what is due until the last attempt of everything. */
async function runAll(app: App): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await app.runJobs();
    app.clock.now += 1_000_000;
  }
}

Deno.test("POST /Recordings/{Sid}/Transcriptions makes one, which is completed and paid, with its callback", async () => {
  const { asked, transcriber } = hearing();
  using app = await startApp({ ports: { transcriber } });
  const recording = await recorded(app);
  const { file_uri: link, call_sid: call } = (await app.root.get(`Recordings/${recording}.json`))
    .json();

  const answer = await app.root.post(`Recordings/${recording}/Transcriptions.json`, {
    TranscribeCallback: "https://app.test/text",
    Language: "en-GB",
  });
  const made = answer.json();
  assert.deepEqual(
    [answer.status, made.status, made.recording_sid, made.duration, made.transcription_text],
    [200, "in-progress", recording, "4.25", null],
  );
  await app.runJobs();

  assert.deepEqual(asked, [{ audio: "RIFF and so on", language: "en-GB" }]);
  const found = (await app.root.get(`Transcriptions/${made.sid}.json`)).json();
  assert.deepEqual(
    [found.status, found.transcription_text, found.price],
    ["completed", words, "0.05"],
  );
  assert.equal(app.fetched.length, 1);
  assert.equal(app.fetched[0]!.url, "https://app.test/text");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(await app.fetched[0]!.text())), {
    AccountSid: app.root.sid,
    ApiVersion: "2012-04-24",
    TranscriptionSid: made.sid,
    TranscriptionStatus: "completed",
    TranscriptionText: words,
    TranscriptionUrl:
      `http://api.test/2012-04-24/Accounts/${app.root.sid}/Transcriptions/${made.sid}`,
    RecordingSid: recording,
    RecordingUrl: link,
    RecordingDuration: "4.25",
    CallSid: call,
    InstanceId: "test",
    Timestamp: "Wed, 31 Jan 2024 12:00:00 +0000",
    CallbackSource: "transcription-events",
  });
  const usage = (await app.root.get("Usage/Records.json")).json();
  const [charge] = usage.filter((one: { category: string }) => one.category === "transcriptions");
  assert.deepEqual([charge.usage, charge.usage_unit, charge.price], ["1", "minutes", "0.05"]);
});

Deno.test("the callback of a transcription names the two sides of the call", async () => {
  const { transcriber } = hearing();
  using app = await startApp({ ports: { transcriber } });
  const call = (await app.root.post("Calls.json", {
    From: "+15550001",
    To: "client:alice",
    Url: "https://app.test/voice",
  })).json();
  const recording = await recorded(app);
  await app.ports.records.recordings.update(app.root.sid, recording, (now) => ({
    record: { ...now, callSid: call.sid },
  }));
  const form = { TranscribeCallback: "https://app.test/text?a=1", TranscribeCallbackMethod: "GET" };

  await app.root.post(`Recordings/${recording}/Transcriptions`, form);
  await app.runJobs();

  const [told] = app.fetched.filter(({ url }) => url.includes("/text"));
  const { searchParams } = new URL(told!.url);
  assert.deepEqual(
    ["From", "To", "CallSid", "a"].map((name) => searchParams.get(name)),
    ["+15550001", "client:alice", call.sid, "1"],
  );
});

const failures: [what: string, transcriber: Transcriber | null, cause: RegExp, times: number][] = [
  ["nobody is set up", null, /speech recognition is off; set RECOGNITION_URL/, 0],
  [
    "the recogniser refuses it for good",
    hearing(() => Promise.reject(new Fault("notTranscribed", "it is over 64 MiB"))).transcriber,
    /it is over 64 MiB/,
    1,
  ],
  [
    "the recogniser stays out of reach",
    hearing(() => Promise.reject(new Error("connection refused"))).transcriber,
    /the server refused the connection/,
    limits.transcriptionAttempts,
  ],
];
for (const [what, inner, cause, times] of failures) {
  Deno.test(`a transcription fails with a Notification when ${what}`, async () => {
    let asked = 0;
    const transcriber: Transcriber | null = inner && {
      transcribe: (audio, signal) => (asked++, inner.transcribe(audio, signal)),
    };
    using app = await startApp({ ports: { transcriber } });
    const recording = await recorded(app);
    const form = { TranscribeCallback: "https://app.test/text" };
    const made = (await app.root.post(`Recordings/${recording}/Transcriptions.json`, form)).json();
    await runAll(app);

    const found = (await app.root.get(`Transcriptions/${made.sid}.json`)).json();
    assert.deepEqual(
      [found.status, found.transcription_text, found.price],
      ["failed", null, null],
    );
    assert.equal(asked, times);
    const [notice, ...others] = await notifications(app);
    assert.equal(others.length, 0);
    assert.equal(notice.error_code, 13242);
    assert.match(notice.message_text, cause);
    assert.match(notice.message_text, new RegExp(`${made.sid} of ${recording}`));
    const told = new URLSearchParams(await app.fetched[0]!.text());
    assert.deepEqual(
      [told.get("TranscriptionStatus"), told.has("TranscriptionText")],
      ["failed", false],
    );
  });
}

Deno.test("a transcription fails when its recording is deleted before its turn", async () => {
  const { transcriber } = hearing();
  using app = await startApp({ ports: { transcriber } });
  const recording = await recorded(app);
  const made = (await app.root.post(`Recordings/${recording}/Transcriptions.json`, {})).json();
  await app.root.delete(`Recordings/${recording}`);
  await app.ports.blobs.remove(app.root.sid, recording);
  await runAll(app);
  const found = (await app.root.get(`Transcriptions/${made.sid}.json`)).json();
  assert.equal(found.status, "failed");
  assert.match(
    (await notifications(app))[0].message_text,
    /the audio of the recording was deleted/,
  );
});

Deno.test("a long text is cut to the length of a record, at whole characters", async () => {
  const { transcriber } = hearing(() => Promise.resolve("é".repeat(limits.transcriptionLength)));
  using app = await startApp({ ports: { transcriber } });
  const made = (await app.root.post(
    `Recordings/${await recorded(app)}/Transcriptions.json`,
    {},
  )).json();
  await app.runJobs();
  const { transcription_text: text } = (await app.root.get(`Transcriptions/${made.sid}.json`))
    .json();
  assert.equal(text, "é".repeat(limits.transcriptionLength / 2));
});

Deno.test("Recordings/{Sid}/Transcriptions lists those of the recording alone", async () => {
  const { transcriber } = hearing();
  using app = await startApp({ ports: { transcriber } });
  const [one, two] = [await recorded(app), await recorded(app)];
  const sids = [];
  for (const recording of [one, two, one]) {
    const made = await app.root.post(`Recordings/${recording}/Transcriptions.json`, {});
    sids.push(made.json().sid);
  }
  const list = (await app.root.get(`Recordings/${one}/Transcriptions.json`)).json();
  const found = list.transcriptions.map(({ sid }: { sid: string }) => sid);
  assert.deepEqual(found, [sids[2], sids[0]]);
  const nowhere = `Recordings/RE${"0".repeat(32)}/Transcriptions`;
  assert.equal((await app.root.get(nowhere)).status, 404);
  assert.equal((await app.root.post(nowhere, {})).status, 404);
  const other = await app.subAccount(app.root, "other");
  assert.equal((await other.get(`Recordings/${one}/Transcriptions`)).status, 404);
});

Deno.test("a recording that is still being made is not transcribed yet", async () => {
  const { transcriber } = hearing();
  using app = await startApp({ ports: { transcriber } });
  const recording = await recorded(app);
  await app.ports.records.recordings.update(app.root.sid, recording, (now) => ({
    record: { ...now, status: "in-progress" },
  }));
  const answer = await app.root.post(`Recordings/${recording}/Transcriptions.json`, {});
  assert.equal(answer.status, 400);
  assert.match(answer.json().message, /the recording is in progress/);
});
