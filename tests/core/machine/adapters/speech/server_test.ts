import assert from "node:assert/strict";
import { writeWav } from "../../../../../core/base/wav.ts";
import {
  type RecognitionEngine,
  type SpeechEngine,
  SpeechRefusal,
} from "../../../../../core/machine/adapters/speech/engine.ts";
import { Busy, createGate } from "../../../../../core/base/gate.ts";
import { speechServer } from "../../../../../core/machine/adapters/speech/server.ts";
import { soundCache } from "../../../../../core/machine/adapters/speech/sound_cache.ts";
import { soundOf } from "../../../../support/media/speech_lab.ts";

const secret = "0123456789abcdef";
const sound = { pcm: Int16Array.of(1, -2, 3, 4), sampleRate: 22_050 };

interface Lab {
  post(path: string, body: BodyInit, key?: string): Promise<Response>;
  spoken: unknown[];
  heard: unknown[];
  logged: unknown[];
  directory: string;
}

/** The server with engines of the test's, and a cache in a directory of its own. */
async function withServer(
  engines: { speak?: SpeechEngine["speak"]; recognition?: RecognitionEngine | null },
  use: (lab: Lab) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir();
  const [spoken, heard, logged]: unknown[][] = [[], [], []];
  const serve = speechServer({
    secret,
    cache: await soundCache(directory, 1 << 20),
    log: (line) => logged!.push(line),
    speech: {
      name: "test",
      speak(utterance, signal) {
        spoken!.push(utterance);
        return engines.speak?.(utterance, signal) ?? Promise.resolve(sound);
      },
    },
    recognition: engines.recognition !== undefined ? engines.recognition : {
      name: "test",
      recognise({ pcm, sampleRate }, options) {
        heard!.push({ samples: pcm.length, sampleRate, ...options });
        return Promise.resolve({ text: "hello", confidence: 0.5 });
      },
    },
  });
  const post = (path: string, body: BodyInit, key = secret) =>
    serve(
      new Request(`http://127.0.0.1${path}`, {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${key}` },
      }),
    );
  try {
    await use({ post, spoken: spoken!, heard: heard!, logged: logged!, directory });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** No browser may guess its type, frame it or store it. */
function assertSafe({ headers }: Response): void {
  assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
  assert.equal(headers.get("Content-Security-Policy"), "frame-ancestors 'none'");
  assert.equal(headers.get("Cache-Control"), "no-store");
}

const messageOf = async (response: Response) => (await response.json()).error.message;

Deno.test("POST /v1/audio/speech answers WAV, and makes the same speech once", async () => {
  await withServer({}, async ({ post, spoken }) => {
    const asked = { model: "tts-1", input: " Hello ", voice: "man", language: "de", speed: 1.5 };
    const first = await post("/v1/audio/speech", JSON.stringify(asked));
    assert.equal(first.headers.get("content-type"), "audio/wav");
    assertSafe(first);
    assert.deepEqual(await soundOf(first), sound);

    assert.deepEqual(await soundOf(await post("/v1/audio/speech", JSON.stringify(asked))), sound);
    assert.deepEqual(spoken, [{ text: "Hello", voice: "man", language: "de", speed: 1.5 }]);

    await post("/v1/audio/speech", JSON.stringify({ ...asked, voice: "woman" }));
    await post("/v1/audio/speech", JSON.stringify({ input: "Hello" }));
    assert.deepEqual(spoken.at(-1), {
      text: "Hello",
      voice: "woman",
      language: "en-US",
      speed: 1,
    });
    assert.equal(spoken.length, 3);
  });
});

Deno.test("the speech process says what is wrong with a request, safely in browsers", async () => {
  const speak = () => Promise.reject(new SpeechRefusal("Cannot speak so"));
  await withServer({ speak }, async ({ post, logged }) => {
    const say = (body: unknown) => post("/v1/audio/speech", JSON.stringify(body));
    const cases: [Promise<Response>, number, RegExp][] = [
      [post("/v1/audio/speech", "{}", "another key"), 401, /key/],
      [post("/v1/audio/speech", "no json"), 400, /no JSON/],
      [post("/v1/nothing", "{}"), 404, /path/],
      [say({ input: "" }), 400, /Cannot take input/],
      [say({ input: "x".repeat(4_097) }), 400, /Cannot take input/],
      [say({ input: "x".repeat(100_000) }), 400, /more than 65536 bytes/],
      [say({ input: "x", response_format: "mp3" }), 400, /response_format: must be wav/],
      [say({ input: "x", speed: 9 }), 400, /Cannot take speed/],
      [say({ input: "x" }), 400, /Cannot speak so/],
    ];
    for (const [answer, status, message] of cases) {
      assert.equal((await answer).status, status, String(message));
      assertSafe(await answer);
      assert.match(await messageOf(await answer), message);
    }
    assert.deepEqual(logged, []);
  });
});

Deno.test("the speech process logs an engine that fails, and answers 500", async () => {
  const speak = () => Promise.reject(new Error("Cannot run it: it broke"));
  await withServer({ speak }, async ({ post, logged }) => {
    const answer = await post("/v1/audio/speech", JSON.stringify({ input: "x" }));
    assert.equal(answer.status, 500);
    assert.match(await messageOf(answer), /it broke/);
    assert.equal(logged.length, 1);
  });
});

function transcription(file: Uint8Array<ArrayBuffer>, own: Record<string, string> = {}): FormData {
  const form = new FormData();
  form.set("file", new File([file], "a.wav"));
  for (const [name, value] of Object.entries(own)) form.set(name, value);
  return form;
}

Deno.test("POST /v1/audio/transcriptions hands on language and hints", async () => {
  await withServer({}, async ({ post, heard }) => {
    const wav = writeWav(new Int16Array(80), 8_000);
    const form = transcription(wav, { language: "en-GB", prompt: "yes, no ,,maybe" });
    const answer = await post("/v1/audio/transcriptions", form);
    assert.deepEqual(await answer.json(), { text: "hello", confidence: 0.5 });
    await post("/v1/audio/transcriptions", transcription(wav)).then((one) => one.body?.cancel());
    const kind = "utterance";
    assert.deepEqual(heard, [
      { samples: 80, sampleRate: 8_000, kind, language: "en-GB", hints: ["yes", "no", "maybe"] },
      { samples: 80, sampleRate: 8_000, kind, language: "en", hints: [] },
    ]);

    const path = "/v1/audio/transcriptions";
    const cases: [BodyInit, RegExp][] = [
      ["no form", /Cannot find the file/],
      [new FormData(), /Cannot find the file/],
      [transcription(new TextEncoder().encode("<html>")), /not a WAV file/],
      [transcription(wav.slice(0, 30)), /no audio in it/],
    ];
    for (const [body, message] of cases) {
      const refused = await post(path, body);
      assert.equal(refused.status, 400);
      assert.match(await messageOf(refused), message);
    }
  });
});

Deno.test("POST /v1/audio/transcriptions answers 501 where nothing is installed", async () => {
  await withServer({ recognition: null }, async ({ post }) => {
    const wav = writeWav(new Int16Array(80), 8_000);
    const answer = await post("/v1/audio/transcriptions", transcription(wav));
    assert.equal(answer.status, 501);
    assert.match(await messageOf(answer), /pocketsphinx is not installed/);
  });
});

Deno.test("soundCache() keeps to its bound, the file used longest ago goes, and starts again", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const key = (n: number) => String(n).padStart(64, "0");
    const cache = await soundCache(directory, 1_000);
    for (const n of [1, 2, 3, 4]) await cache.put(key(n), new Uint8Array(250));
    await cache.get(key(1));
    await cache.put(key(5), new Uint8Array(250));
    await cache.put(key(6), new Uint8Array(300)); // Too large a part of it.
    const kept = async (of: typeof cache) =>
      (await Promise.all([1, 2, 3, 4, 5, 6].map((n) => of.get(key(n))))).map((file) =>
        file?.length
      );
    assert.deepEqual(await kept(cache), [250, undefined, 250, 250, 250, undefined]);

    await Deno.writeTextFile(`${directory}/half.tmp`, "half");
    await Deno.utime(`${directory}/half.tmp`, 0, 0);
    await Deno.writeTextFile(`${directory}/new.tmp`, "somebody is at it");
    await Deno.writeTextFile(`${directory}/other.wav`, "not ours");
    const again = await soundCache(directory, 1_000);
    assert.deepEqual(await kept(again), [250, undefined, 250, 250, 250, undefined]);
    const names = [...Deno.readDirSync(directory)].map(({ name }) => name);
    assert.deepEqual([names.length, names.includes("half.tmp")], [6, false]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("createGate() runs so many at once, the others in order, and refuses beyond", async () => {
  const pass = createGate({ most: 2, waiting: 2 });
  const order: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const work = gates.map(({ promise }, n) => pass(() => (order.push(n), promise)));
  await assert.rejects(pass(() => Promise.resolve()), Busy);
  assert.deepEqual(order, [0, 1]);
  gates[0]!.reject(new Error("failed"));
  await assert.rejects(work[0]!, /failed/);
  gates[1]!.resolve();
  await work[1];
  assert.deepEqual(order, [0, 1, 2, 3]);
  gates[2]!.resolve();
  gates[3]!.resolve();
  await Promise.all(work.slice(2));
  await pass(() => Promise.resolve());
});

Deno.test("POST /v1/audio/transcriptions lets no utterance wait for a long recording", async () => {
  const never = Promise.withResolvers<{ text: string; confidence: number }>();
  const recognition: RecognitionEngine = {
    name: "test",
    recognise: ({ pcm }) =>
      pcm.length > 1_000_000
        ? never.promise
        : Promise.resolve({ text: "a choice", confidence: 0.6 }),
  };
  await withServer({ recognition }, async ({ post }) => {
    const ask = (samples: number) =>
      post("/v1/audio/transcriptions", transcription(writeWav(new Int16Array(samples), 16_000)));
    const long = [1_100_000, 1_100_000, 1_100_000].map(ask);
    assert.equal((await (await ask(16_000)).json()).text, "a choice");
    never.resolve({ text: "long", confidence: 0.4 });
    const texts = long.map(async (answer) => (await (await answer).json()).text);
    assert.deepEqual(await Promise.all(texts), ["long", "long", "long"]);
  });
});

Deno.test("POST /v1/audio/transcriptions lets no utterance wait for recordings, however short", async () => {
  const never = Promise.withResolvers<{ text: string; confidence: number }>();
  const recognition: RecognitionEngine = {
    name: "test",
    recognise: (_, { kind }) =>
      kind === "recording" ? never.promise : Promise.resolve({ text: "a choice", confidence: 0.6 }),
  };
  await withServer({ recognition }, async ({ post }) => {
    const ask = (fields: Record<string, string>) =>
      post("/v1/audio/transcriptions", transcription(writeWav(new Int16Array(800), 8_000), fields));
    const recordings = [1, 2, 3, 4].map(() => ask({ kind: "recording" }));
    assert.equal((await (await ask({})).json()).text, "a choice");
    never.resolve({ text: "a message", confidence: 0.4 });
    const texts = recordings.map(async (answer) => (await (await answer).json()).text);
    assert.deepEqual(new Set(await Promise.all(texts)), new Set(["a message"]));
  });
});
