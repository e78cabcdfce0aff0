import assert from "node:assert/strict";
import { loadAudio } from "../../sip/media/load_audio.ts";
import { amplitudeOf, tone } from "../support/tone.ts";
import { pcmFile } from "../support/wav_file.ts";

const { signal } = new AbortController();

/** Loads from a fixed answer and counts how often it was asked for. */
function loading(answer: () => Response, cacheBytes = 100_000) {
  const requests: string[] = [];
  const fetch = (input: string | URL | Request) => {
    requests.push(String(input));
    return Promise.resolve(answer());
  };
  return { requests, load: loadAudio({ fetch, maxBytes: 100_000, cacheBytes }) };
}

Deno.test("loadAudio() gives 8 kHz samples of a file at another rate", async () => {
  const { load } = loading(() => new Response(pcmFile(tone(1_000, 0.5, 16_000), 16_000)));

  const pcm = await load("http://app.test/a.wav", signal);

  assert.equal(pcm.length, 4_000);
  assert.ok(Math.abs(amplitudeOf(1_000, pcm.subarray(800, 3_200)) - 8_000) < 160);
});

Deno.test("loadAudio() asks once for audio it still has", async () => {
  const { load, requests } = loading(() => new Response(pcmFile(tone(1_000, 0.1))));

  const first = await load("http://app.test/a.wav", signal);
  const again = await load("http://app.test/a.wav", signal);
  await load("http://app.test/b.wav", signal);

  assert.equal(again, first);
  assert.deepEqual(requests, ["http://app.test/a.wav", "http://app.test/b.wav"]);
});

Deno.test("loadAudio() forgets the audio used longest ago when its memory is full", async () => {
  const pcm = tone(1_000, 0.1);
  const { load, requests } = loading(() => new Response(pcmFile(pcm)), 2.5 * pcm.byteLength);
  for (const name of ["a", "b", "a", "c", "a", "b"]) await load(`http://app.test/${name}`, signal);

  assert.deepEqual(requests.map((url) => url.slice(-1)), ["a", "b", "c", "b"]);
});

Deno.test("loadAudio() says why it cannot, and asks again next time", async () => {
  const cases: [() => Response, RegExp][] = [
    [() => new Response("no", { status: 404 }), /status is 404/],
    [() => new Response("<html>"), /Cannot read WAV: it is not a WAV file/],
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
