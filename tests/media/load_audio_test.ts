import assert from "node:assert/strict";
import { loadAudio } from "../../sip/media/load_audio.ts";
import { amplitudeOf, tone } from "../support/tone.ts";
import { pcmFile } from "../support/wav_file.ts";

const { signal } = new AbortController();

/** Loads from a server's answers and keeps what it was asked: the URL, and the validator sent. */
function loading(answer: (validator: string | null) => Response, cacheBytes = 100_000) {
  const requests: string[] = [];
  const fetch = (input: string | URL | Request, init?: RequestInit) => {
    const validator = new Headers(init?.headers).get("if-none-match");
    requests.push(validator === null ? String(input) : `${input} unless ${validator}`);
    return Promise.resolve(answer(validator));
  };
  return { requests, load: loadAudio({ fetch, maxBytes: 100_000, cacheBytes }) };
}

Deno.test("loadAudio() gives 8 kHz samples of a file at another rate", async () => {
  const { load } = loading(() => new Response(pcmFile(tone(1_000, 0.5, 16_000), 16_000)));

  const pcm = await load("http://app.test/a.wav", signal);

  assert.equal(pcm.length, 4_000);
  assert.ok(Math.abs(amplitudeOf(1_000, pcm.subarray(800, 3_200)) - 8_000) < 160);
});

/** A server that gives each version of a file its own ETag. */
const versioned =
  (pcm: Int16Array<ArrayBuffer>, etag: () => string) => (validator: string | null) =>
    validator === etag()
      ? new Response(null, { status: 304 })
      : new Response(pcmFile(pcm), { headers: { etag: etag() } });

Deno.test("loadAudio() keeps audio that the server says has not changed, and no longer", async () => {
  let etag = '"1"';
  const { load, requests } = loading(versioned(tone(1_000, 0.1), () => etag));

  const first = await load("http://app.test/a.wav", signal);
  assert.equal(await load("http://app.test/a.wav", signal), first);
  etag = '"2"';
  assert.notEqual(await load("http://app.test/a.wav", signal), first);

  const url = "http://app.test/a.wav";
  assert.deepEqual(requests, [url, `${url} unless "1"`, `${url} unless "1"`]);
});

Deno.test("loadAudio() loads again what carries no validator", async () => {
  const { load, requests } = loading(() => new Response(pcmFile(tone(1_000, 0.1))));
  const first = await load("http://app.test/a.wav", signal);
  assert.notEqual(await load("http://app.test/a.wav", signal), first);
  assert.deepEqual(requests, ["http://app.test/a.wav", "http://app.test/a.wav"]);
});

Deno.test("loadAudio() forgets the audio used longest ago when its memory is full", async () => {
  const pcm = tone(1_000, 0.1);
  const { load, requests } = loading(versioned(pcm, () => '"1"'), 2.5 * pcm.byteLength);
  for (const name of ["a", "b", "a", "c", "a", "b"]) await load(`http://app.test/${name}`, signal);

  const asked = requests.map((request) => request.replace("http://app.test/", ""));
  assert.deepEqual(asked, ["a", "b", 'a unless "1"', "c", 'a unless "1"', "b"]);
});

Deno.test("loadAudio() says why it cannot, and asks again next time", async () => {
  const cases: [() => Response, RegExp][] = [
    [() => new Response("no", { status: 404 }), /status is 404/],
    [() => new Response("<html>"), /it is neither a WAV nor an MP3 file/],
    [() => new Response(new Uint8Array(200_000)), /longer than 100000 bytes/],
    [() => new Response(pcmFile(new Int16Array())), /it is empty/],
  ];
  for (const [answer, message] of cases) {
    const { load, requests } = loading(answer);
    for (let i = 0; i < 2; i++) {
      const attempt = load("http://app.test/x.wav", signal);
      await assert.rejects(attempt, message);
      await assert.rejects(attempt, /^Error: Cannot load audio from "http:\/\/app.test\/x.wav": /);
    }
    assert.equal(requests.length, 2);
  }
});

Deno.test("loadAudio() passes the signal on", async () => {
  const stop = new AbortController();
  const load = loadAudio({
    fetch: (_, init) =>
      new Promise((_, reject) =>
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))
      ),
  });
  const attempt = load("http://app.test/a.wav", stop.signal);
  stop.abort();
  await assert.rejects(attempt, /aborted/);
});
