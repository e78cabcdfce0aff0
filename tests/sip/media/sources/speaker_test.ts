import assert from "node:assert/strict";
import { httpSpeaker, type SpeakerOptions } from "../../../../sip/media/sources/speaker.ts";
import { tone } from "../../../support/media/tone.ts";
import { pcmFile } from "../../../support/media/wav_file.ts";

const { signal } = new AbortController();
const hello = { text: "Hello.", voice: "woman", language: "de-DE" };

/** A speaker whose provider answers as it is told, and what that was asked. */
function speaking(
  answer: () => Response | Promise<Response> = () => new Response(pcmFile(tone(500, 0.5))),
  own: Partial<SpeakerOptions> = {},
) {
  const asked: { url: string; key: string | null; body: unknown }[] = [];
  const speaker = httpSpeaker({
    endpoint: { url: "http://speech.test", key: "k", model: "tts-1", isLocal: false },
    voices: new Map([["woman", "nova"]]),
    async fetch(input, init) {
      const key = new Headers(init?.headers).get("authorization");
      asked.push({ url: String(input), key, body: JSON.parse(String(init?.body)) });
      return await answer();
    },
    ...own,
  });
  return { asked, speaker };
}

Deno.test("speak() asks in the OpenAI form, and for the same utterance once", async () => {
  const { asked, speaker } = speaking();

  const pcm = await speaker.speak(hello, signal);
  assert.equal(pcm.length, 4_000);
  assert.equal(await speaker.speak(hello, signal), pcm);
  await speaker.speak({ ...hello, voice: "Ada" }, signal);

  const url = "http://speech.test/v1/audio/speech";
  const body = { model: "tts-1", input: "Hello.", voice: "nova", response_format: "wav" };
  assert.deepEqual(asked, [
    { url, key: "Bearer k", body },
    { url, key: "Bearer k", body: { ...body, voice: "Ada" } },
  ]);
});

Deno.test("speak() tells the speech process the language, and no key where there is none", async () => {
  const endpoint = { url: "http://127.0.0.1:1", key: "", model: "local", isLocal: true };
  const { asked, speaker } = speaking(undefined, { endpoint, voices: new Map() });
  await speaker.speak(hello, signal);
  assert.deepEqual(asked.map(({ key, body }) => [key, body]), [[null, {
    model: "local",
    input: "Hello.",
    voice: "woman",
    response_format: "wav",
    language: "de-DE",
  }]]);
});

Deno.test("speak() asks once for what several wait for, though the first one hangs up", async () => {
  const made = Promise.withResolvers<Response>();
  const { asked, speaker } = speaking(() => made.promise);
  const first = new AbortController();
  const gone = speaker.speak(hello, first.signal);
  const waits = speaker.speak(hello, signal);
  first.abort();
  await assert.rejects(gone, /aborted/);
  made.resolve(new Response(pcmFile(tone(500, 0.5))));
  assert.equal((await waits).length, 4_000);
  assert.equal(asked.length, 1);
});

Deno.test("speak() forgets what was said longest ago when its memory is full", async () => {
  const { asked, speaker } = speaking(undefined, { cacheBytes: 2.5 * 8_000 });
  for (const text of ["a", "b", "a", "c", "a", "b"]) {
    await speaker.speak({ ...hello, text }, signal);
  }
  assert.deepEqual(asked.map(({ body }) => (body as { input: string }).input), [
    "a",
    "b",
    "c",
    "b",
  ]);
});

const refused = (status: number, body: string) => () => new Response(body, { status });
type Failure = [
  what: string,
  answer: () => Response | Promise<Response>,
  why: RegExp,
  name?: string,
];
const failures: Failure[] = [
  [
    "is refused",
    refused(400, '{"error":{"message":"no such voice"}}'),
    /no such voice \(status 400\)/,
    "SpeechRefused",
  ],
  ["is refused as wrong", refused(422, ""), /its status is 422/, "SpeechRefused"],
  ["fails there", refused(502, "<html>"), /its status is 502/],
  ["is too much", refused(429, ""), /its status is 429/],
  ["gets no audio", () => new Response("{}"), /neither a WAV nor an MP3/],
  [
    "gets no connection",
    () => Promise.reject(new Error("connection refused")),
    /the server refused the connection/,
  ],
];
for (const [what, answer, why, name = "Error"] of failures) {
  Deno.test(`speak() says why when it ${what}, and asks again next time`, async () => {
    const { asked, speaker } = speaking(answer);
    for (let i = 0; i < 2; i++) {
      const attempt = speaker.speak(hello, signal);
      await assert.rejects(attempt, why);
      await assert.rejects(attempt, {
        name,
        message: /^the speech provider at http:\/\/speech.test/,
      });
    }
    assert.equal(asked.length, 2);
  });
}

Deno.test("speak() gives up a provider that says nothing", async () => {
  const { speaker } = speaking(undefined, {
    timeoutMs: 20,
    fetch: (_, init) =>
      new Promise((_, reject) =>
        init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))
      ),
  });
  const attempt = speaker.speak(hello, signal);
  const awake = setTimeout(() => {}, 5_000); // AbortSignal.timeout alone keeps nobody awake.
  await assert.rejects(attempt, /it took over 20 ms/);
  clearTimeout(awake);
});
