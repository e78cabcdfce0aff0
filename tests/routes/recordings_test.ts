import assert from "node:assert/strict";
import type { Settings } from "../../core/model/values/settings.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { memoryBlobs } from "../support/service/memory_blobs.ts";
import { makeSample } from "../support/service/samples.ts";

const audio = new TextEncoder().encode("RIFF and so on");

async function record(app: App, client: ApiClient = app.root): Promise<string> {
  const sid = await makeSample(app, client, { name: "recordings" });
  await app.ports.blobs.write(client.sid, sid, 0, audio);
  return sid;
}

/** A link as somebody without credentials follows it. */
const follow = (app: App, uri: string, method = "GET") => {
  const { pathname, search } = new URL(uri, "http://api.test");
  return app.root.request(method, pathname + search, { headers: { Authorization: "none" } });
};

const linkOf = async (app: App, sid: string): Promise<string> =>
  (await app.root.get(`Recordings/${sid}.json`)).json().file_uri;

Deno.test("GET /Recordings/{Sid}.wav downloads the audio with credentials", async () => {
  using app = await startApp();
  const sid = await record(app);

  const answer = await app.root.get(`Recordings/${sid}.wav`);

  assert.equal(answer.text, "RIFF and so on");
  assert.equal(answer.headers.get("Content-Type"), "audio/wav");
  assert.equal(answer.headers.get("Content-Length"), String(audio.length));
  assert.equal((await app.root.request("HEAD", `Recordings/${sid}.wav`)).status, 200);
  assert.equal((await follow(app, `${await linkOf(app, sid)}`.split("?")[0]!)).status, 401);
  assert.equal((await follow(app, `/2012-04-24/Accounts/${app.root.sid}/Recordings`)).status, 401);
});

Deno.test("FileUri is a link that works without credentials until it expires", async () => {
  using app = await startApp();
  const sid = await record(app);
  const uri = await linkOf(app, sid);

  assert.equal((await follow(app, uri)).text, "RIFF and so on");
  assert.equal((await follow(app, uri, "HEAD")).status, 200);
  app.clock.now += app.ports.settings.recordingLinkMs;
  assert.equal((await follow(app, uri)).status, 200);
  app.clock.now += 3_600_000;
  assert.equal((await follow(app, uri)).status, 401);
  assert.equal((await follow(app, await linkOf(app, sid))).status, 200);
});

Deno.test("a signed URL opens its own recording alone", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const [one, two] = [await record(app), await record(app)];
  const uri = await linkOf(app, one);
  const foreign = await record(app, other);

  for (
    const wrong of [
      uri.replace(one, two),
      uri.replace(one, foreign).replace(app.root.sid, other.sid),
      uri.replace(/Expires=\d+/, "Expires=99999999999"),
      uri.replace(/Signature=./, "Signature=x"),
      uri.replace(/Signature=.*/, "Signature="),
      uri.replace(/\?.*/, ""),
      uri.replace(".wav", ""),
      uri.replace(".wav", ".json"),
    ]
  ) assert.equal((await follow(app, wrong)).status, 401, wrong);
  assert.equal((await follow(app, uri, "DELETE")).status, 401);
});

Deno.test("a format appended to a link, as Twilio's RecordingUrl is used, is obeyed", async () => {
  using app = await startApp();
  const uri = await linkOf(app, await record(app));

  assert.equal((await follow(app, `${uri}.wav`)).text, "RIFF and so on");
  // The audio of this test has no samples to encode: it is asked for as MP3, and there is none.
  assert.match((await follow(app, `${uri}.mp3`)).text, /\.mp3/);
  for (const wrong of [`${uri}.ogg`, `${uri}.mp3.mp3`, `${uri}0.mp3`]) {
    assert.equal((await follow(app, wrong)).status, 401, wrong);
  }
});

Deno.test("RECORDINGS_PUBLIC opens the audio, and nothing but the audio", async () => {
  using app = await startApp();
  app.ports.settings.recordingsPublic = true;
  const sid = await record(app);
  const uri = await linkOf(app, sid);

  assert.equal(uri, `http://api.test/2012-04-24/Accounts/${app.root.sid}/Recordings/${sid}.wav`);
  assert.equal((await follow(app, uri)).text, "RIFF and so on");
  assert.equal((await follow(app, uri.replace(".wav", ".json"))).status, 401);
  assert.equal((await follow(app, uri.replace(sid, `RE${"0".repeat(32)}`))).status, 404);
});

Deno.test("a link does not open the audio of an account that is suspended", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const sid = await record(app, child);
  const uri = (await child.get(`Recordings/${sid}.json`)).json().file_uri;

  await app.root.post(`/2012-04-24/Accounts/${child.sid}`, { Status: "suspended" });

  assert.equal((await follow(app, uri)).status, 403);
});

Deno.test("DELETE of a recording deletes its audio too", async () => {
  using app = await startApp();
  const sid = await record(app);
  const uri = await linkOf(app, sid);

  assert.equal((await app.root.delete(`Recordings/${sid}.json`)).status, 204);
  assert.equal((await follow(app, uri)).status, 404);
  await app.runJobs();
  assert.equal(await app.ports.blobs.get(app.root.sid, sid), null);
});

Deno.test("DELETE of a recording's audio deletes the recording, as Allow says that it may be", async () => {
  using app = await startApp();
  const sid = await record(app);
  const path = `Recordings/${sid}.wav`;

  const { status, headers } = await app.root.request("PATCH", path);
  assert.deepEqual([status, headers.get("Allow")], [405, "DELETE, GET, HEAD"]);
  assert.equal((await app.root.delete(path)).status, 204);

  assert.equal((await app.root.delete(path)).status, 404);
  assert.equal((await app.root.get(`Recordings/${sid}.json`)).status, 404);
  await app.runJobs();
  assert.equal(await app.ports.blobs.get(app.root.sid, sid), null);
});

Deno.test("a recording whose audio is lost answers 404 with the error body", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "recordings" });

  assert.equal((await app.root.get(`Recordings/${sid}.wav`)).status, 404);
  assert.equal((await app.root.get(`Recordings/RE1.wav`)).status, 404);
  assert.equal((await app.root.get(`Recordings/${sid}.wav.json`)).json().code, 20404);
});

Deno.test("StartTime and EndTime narrow recordings and transcriptions to days", async () => {
  using app = await startApp();
  for (let day = 0; day < 3; day++) {
    for (const name of ["recordings", "transcriptions"] as const) {
      await makeSample(app, app.root, { name, n: day });
    }
    app.clock.now += 86_400_000;
  }

  for (const path of ["Recordings", "Transcriptions"]) {
    const total = async (query: string) =>
      (await app.root.get(`${path}.json?${query}`)).json().total;
    assert.equal(await total("StartTime=2024-02-01"), 1);
    assert.equal(await total("StartTime>=2024-02-01"), 2);
    assert.equal(await total("EndTime<=2024-02-01"), 1);
    assert.equal(await total("StartTime=2024-01-31&EndTime=2024-02-01"), 2);
    assert.equal((await app.root.get(`${path}.json?StartTime=soon`)).status, 400);
  }
});

Deno.test("GET /Calls/{Sid}/Recordings lists those of that call, with their links", async () => {
  using app = await startApp();
  const sids = [];
  for (const n of [1, 2]) sids.push(await makeSample(app, app.root, { name: "calls", n }));
  for (const callSid of [sids[0], sids[1], sids[0]]) {
    const sid = await makeSample(app, app.root, { name: "recordings" });
    await app.ports.records.recordings.update(app.root.sid, sid, (recording) => ({
      record: { ...recording, callSid: callSid! },
    }));
  }

  const list = (await app.root.get(`Calls/${sids[0]}/Recordings.json?PageSize=1`)).json();

  assert.equal(list.total, 2);
  assert.match(list.recordings[0].file_uri, /\.wav\?Expires=\d+&Signature=[0-9a-f]{64}$/);
  const next = (await app.root.get(list.next_page_uri)).json();
  assert.equal(next.recordings[0].call_sid, sids[0]);
  const all = (await app.root.get(`Recordings.json?CallSid=${sids[1]}`)).json();
  assert.deepEqual([all.total, all.recordings[0].call_sid], [1, sids[1]]);
  assert.equal((await app.root.get(`Calls/CA${"0".repeat(32)}/Recordings.json`)).status, 404);
});

/** The answer to a request for the audio with some headers. */
async function ask(app: App, sid: string, headers: Record<string, string>, method = "GET") {
  const { status, text, headers: told } = await app.root.request(
    method,
    `Recordings/${sid}.wav`,
    { headers },
  );
  return { status, text, range: told.get("Content-Range"), length: told.get("Content-Length") };
}

const ranges: [header: string, text: string, range: string][] = [
  ["bytes=0-3", "RIFF", "bytes 0-3/14"],
  ["bytes=5-", "and so on", "bytes 5-13/14"],
  ["bytes=-2", "on", "bytes 12-13/14"],
  ["bytes=-99", "RIFF and so on", "bytes 0-13/14"],
  ["bytes=8-99", " so on", "bytes 8-13/14"],
  ["BYTES=13-13", "n", "bytes 13-13/14"],
];

for (const [header, text, range] of ranges) {
  Deno.test(`GET of audio answers the range ${header}`, async () => {
    using app = await startApp();
    const sid = await record(app);
    const answer = await ask(app, sid, { Range: header });
    assert.deepEqual(answer, { status: 206, text, range, length: String(text.length) });
    const head = await ask(app, sid, { Range: header }, "HEAD");
    assert.deepEqual(head, { ...answer, text: "" });
  });
}

for (const header of ["bytes=14-", "bytes=99-100", "bytes=-0"]) {
  Deno.test(`GET of audio refuses the range ${header}`, async () => {
    using app = await startApp();
    const sid = await record(app);
    const answer = await ask(app, sid, { Range: header });
    assert.deepEqual([answer.status, answer.range], [416, "bytes */14"]);
    assert.match(answer.text, /<Code>20416<\/Code>/);
  });
}

for (const header of ["bytes=3-1", "bytes=0-1,4-5", "lines=1-2", "bytes=a-b", "bytes=-", "1"]) {
  Deno.test(`GET of audio answers all of it to the range ${header}`, async () => {
    using app = await startApp();
    const answer = await ask(app, await record(app), { Range: header });
    assert.deepEqual(answer, { status: 200, text: "RIFF and so on", range: null, length: "14" });
  });
}

Deno.test("GET of audio answers a range if the client's ETag is right, else the whole", async () => {
  using app = await startApp();
  const sid = await record(app);
  const { headers } = await app.root.get(`Recordings/${sid}.wav`);
  const etag = headers.get("ETag")!;
  assert.equal(headers.get("Accept-Ranges"), "bytes");
  const resume = { Range: "bytes=5-", "If-Range": etag };

  assert.equal((await ask(app, sid, resume)).text, "and so on");
  await app.ports.blobs.write(app.root.sid, sid, 14, new TextEncoder().encode("!"));
  assert.equal((await ask(app, sid, resume)).text, "RIFF and so on!");
  assert.equal((await ask(app, sid, { ...resume, "If-Range": "yesterday" })).status, 200);
});

/** The service with a recording that object storage has. */
async function stored(settings: Partial<Settings> = {}) {
  using ordinary = await startApp();
  const blobs = {
    ...memoryBlobs(),
    link: (_: string, sid: string, method: string) =>
      Promise.resolve(`https://s3.test/bucket/${sid}.wav?for=${method}`),
  };
  const ports = { blobs, settings: { ...ordinary.ports.settings, ...settings } };
  const app = await startApp({ ports });
  return { app, sid: await record(app) };
}

Deno.test("audio in object storage is answered with a link to it, for GET and for HEAD", async () => {
  const { app, sid } = await stored();
  using _ = app;
  for (const method of ["GET", "HEAD"]) {
    const answer = await follow(app, await linkOf(app, sid), method);
    assert.equal(answer.status, 307);
    assert.equal(answer.headers.get("Location"), `https://s3.test/bucket/${sid}.wav?for=${method}`);
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
  }
  const shown = (await app.root.get(`Recordings/${sid}.json`)).json();
  assert.equal("s3_uri" in shown, false);
  assert.doesNotMatch((await app.root.get("Recordings")).text, /S3Uri/);
});

Deno.test("S3Uri shows where everybody may read the audio, once it is there", async () => {
  const { app, sid } = await stored({ recordingsOpenInS3: true });
  using _ = app;
  const shown = async () =>
    /<S3Uri>(.*)<\/S3Uri>/.exec((await app.root.get(`Recordings/${sid}`)).text)?.[1] ?? "";
  assert.equal(await shown(), `https://s3.test/bucket/${sid}.wav?for=GET`);
  await app.ports.records.recordings.update(app.root.sid, sid, (recording) => ({
    record: { ...recording, isStored: false },
  }));
  assert.equal(await shown(), "");
  assert.equal((await app.root.get(`Recordings/${sid}.wav`)).status, 200);
});
