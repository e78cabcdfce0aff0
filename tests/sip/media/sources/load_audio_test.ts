import assert from "node:assert/strict";
import { loadAudio } from "../../../../sip/media/sources/load_audio.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { pcmFile } from "../../../support/media/wav_file.ts";

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
    [
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      /it is neither a WAV nor an MP3 file, its type is text\/html/,
    ],
    [() => new Response("RIFFxxxxWAVE"), /Cannot read WAV: it has no audio data/],
    [
      () => new Response("no music at all", { headers: { "content-type": "audio/mpeg" } }),
      /Cannot read MP3: it has no audio that can be decoded/,
    ],
    [() => new Response(""), /it is empty/],
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

const tonePath = new URL("tone.mp3", import.meta.url);

for (
  const [what, type, before] of [
    ["by its type", "audio/mpeg", []],
    ["by its first bytes, whatever its type", "application/octet-stream", []],
    ["after an ID3 tag", "audio/mpeg", [..."ID3"].map((letter) => letter.charCodeAt(0))],
  ] as const
) {
  Deno.test(`loadAudio() plays MP3, known ${what}`, async () => {
    // An ID3v2 tag of ten bytes beside its header (id3v2.4.0-structure §3.1).
    const tag = before.length > 0 ? [...before, 4, 0, 0, 0, 0, 0, 10, ...new Uint8Array(10)] : [];
    const file = Uint8Array.from([...tag, ...await Deno.readFile(tonePath)]);
    const { load } = loading(() => new Response(file, { headers: { "content-type": type } }));

    const pcm = await load("http://app.test/a", signal);

    // Half a second, and the silence that the format adds.
    assert.ok(pcm.length >= 4_000 && pcm.length < 5_200, String(pcm.length));
    assert.ok(Math.abs(amplitudeOf(1_000, pcm.subarray(1_200, 3_600)) - 8_000) < 600);
  });
}

Deno.test("loadAudio() plays what can be decoded of a damaged MP3", async () => {
  const file = await Deno.readFile(tonePath);
  file.fill(0x55, 900, 1_100);
  const { load } = loading(() => new Response(file, { headers: { "content-type": "audio/mp3" } }));
  assert.ok((await load("http://app.test/a", signal)).length > 2_000);
});

/** A server whose answers have these headers, one after the other; null goes out of reach. */
async function requestsWith(
  answers: (Record<string, string> | number | null)[],
  waitsS: number[],
): Promise<string[]> {
  let now = 0;
  const log: string[] = [];
  const fetch = (_: unknown, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    const told = ["if-none-match", "if-modified-since"].map((name) => headers.get(name));
    log.push(`asked ${told.filter(Boolean).join() || "for all"}`);
    const answer = answers.shift()!;
    if (answer === null) return Promise.reject(new Error("out of reach"));
    if (typeof answer === "number") return Promise.resolve(new Response(null, { status: answer }));
    const { status = "200", ...own } = answer;
    const body = status === "304" ? null : pcmFile(tone(1_000, 0.1));
    return Promise.resolve(new Response(body, { status: Number(status), headers: own }));
  };
  const load = loadAudio({ fetch, now: () => now });
  for (const waitS of [0, ...waitsS]) {
    now += waitS * 1_000;
    log.push(await load("http://app.test/a.wav", signal).then(() => "played", () => "failed"));
  }
  return log;
}

const cached: [
  what: string,
  answers: Parameters<typeof requestsWith>[0],
  waitsS: number[],
  log: string,
][] = [
  [
    "max-age",
    [{ "cache-control": "max-age=60" }, {}],
    [59, 2],
    "asked for all, played, played, asked for all, played",
  ],
  [
    "max-age less Age",
    [{ "cache-control": "public, max-age=60", age: "50" }, {}],
    [9, 2],
    "asked for all, played, played, asked for all, played",
  ],
  [
    "Expires and Date",
    [{ date: "Sun, 06 Nov 1994 08:49:37 GMT", expires: "Sun, 06 Nov 1994 08:50:37 GMT" }, {}],
    [59, 2],
    "asked for all, played, played, asked for all, played",
  ],
  [
    "max-age over Expires",
    [{
      "cache-control": "max-age=0",
      etag: '"1"',
      date: "Sun, 06 Nov 1994 08:49:37 GMT",
      expires: "Sun, 06 Nov 1994 08:50:37 GMT",
    }, { status: "304" }],
    [1],
    'asked for all, played, asked "1", played',
  ],
  [
    "no-store",
    [{ "cache-control": "no-store, max-age=60", etag: '"1"' }, {}],
    [1],
    "asked for all, played, asked for all, played",
  ],
  [
    "Vary: *",
    [{ vary: "*", "cache-control": "max-age=60", etag: '"1"' }, {}],
    [1],
    "asked for all, played, asked for all, played",
  ],
  [
    "no-cache",
    [{ "cache-control": "no-cache, max-age=60", etag: '"1"' }, { status: "304" }],
    [1],
    'asked for all, played, asked "1", played',
  ],
  [
    "Last-Modified",
    [{ "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT" }, { status: "304" }],
    [1],
    "asked for all, played, asked Sun, 06 Nov 1994 08:49:37 GMT, played",
  ],
  [
    "a 304 that renews max-age",
    [{ "cache-control": "max-age=10", etag: '"1"' }, {
      status: "304",
      "cache-control": "max-age=100",
    }],
    [11, 99],
    'asked for all, played, asked "1", played, played',
  ],
  ["nothing about it", [{}, {}], [1], "asked for all, played, asked for all, played"],
  [
    "an error after max-age",
    [{ "cache-control": "max-age=10", etag: '"1"' }, null],
    [11],
    'asked for all, played, asked "1", failed',
  ],
  ["stale-if-error", [{ "cache-control": "max-age=10, stale-if-error=20" }, null, 503, null], [
    11,
    1,
    20,
  ], "asked for all, played, asked for all, played, asked for all, played, asked for all, failed"],
  [
    "must-revalidate",
    [{ "cache-control": "max-age=10, must-revalidate, stale-if-error=20" }, null],
    [11],
    "asked for all, played, asked for all, failed",
  ],
  [
    "404 after it",
    [{ etag: '"1"' }, 404, {}],
    [1, 1],
    'asked for all, played, asked "1", failed, asked for all, played',
  ],
];
for (const [what, answers, waitsS, log] of cached) {
  Deno.test(`loadAudio() keeps audio as RFC 9111 says: ${what}`, async () => {
    assert.equal((await requestsWith([...answers], waitsS)).join(", "), log);
  });
}

Deno.test("loadAudio() waits no longer than it may, for an answer and for its end", async () => {
  const wav = { headers: { "content-type": "audio/wav" } };
  const stalled = new ReadableStream<Uint8Array>({});
  const answers: (() => Promise<Response>)[] = [
    () => new Promise<Response>(() => {}),
    () => Promise.resolve(new Response(stalled, wav)),
  ];
  for (const answer of answers) {
    const load = loadAudio({ fetch: answer, timeoutMs: 50 });
    await assert.rejects(load("http://app.test/a.wav", signal), /it took over 50 ms/);
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

/** A server that answers when it is told to, and tells which of its requests were aborted. */
function answering() {
  const asked: { answer: (response: Response) => void; signal: AbortSignal }[] = [];
  const load = loadAudio({
    fetch: (_, init) => {
      const { promise, resolve } = Promise.withResolvers<Response>();
      asked.push({ answer: resolve, signal: init!.signal! });
      return promise;
    },
    timeoutMs: 10_000,
  });
  return { asked, load };
}

const wav = (headers: Record<string, string> = {}) =>
  new Response(pcmFile(tone(1_000, 0.1)), { headers });

Deno.test("loadAudio() asks once for what several want at the same time, and again afterwards", async () => {
  const { asked, load } = answering();
  const url = "http://app.test/a.wav";
  const first = [1, 2, 3].map(() => load(url, signal));
  const other = load("http://app.test/b.wav", signal);

  assert.equal(asked.length, 2);
  asked[0]!.answer(wav());
  asked[1]!.answer(wav());
  const [pcm, ...same] = await Promise.all(first);
  assert.ok(same.every((each) => each === pcm));
  assert.notEqual(await other, pcm);

  const later = load(url, signal);
  assert.equal(asked.length, 3);
  asked[2]!.answer(wav());
  assert.notEqual(await later, pcm);
});

Deno.test("loadAudio() goes on for those who wait when others give up, and ends with the last", async () => {
  const { asked, load } = answering();
  const url = "http://app.test/a.wav";
  const [first, second] = [new AbortController(), new AbortController()];
  const begun = load(url, first.signal);
  const joined = load(url, second.signal);

  first.abort();
  await assert.rejects(begun, /it was aborted/);
  assert.equal(asked[0]!.signal.aborted, false);
  second.abort();
  await assert.rejects(joined, /it was aborted/);
  assert.equal(asked[0]!.signal.aborted, true);

  const anew = load(url, signal);
  assert.equal(asked.length, 2);
  asked[1]!.answer(wav());
  assert.equal((await anew).length, 800);
});

Deno.test("loadAudio() tells a failure to those who waited for it, and tries again for the next", async () => {
  const { asked, load } = answering();
  const url = "http://app.test/a.wav";
  const failing = [load(url, signal), load(url, signal)];
  asked[0]!.answer(new Response("no", { status: 503 }));
  for (const each of failing) await assert.rejects(each, /a\.wav": status is 503/);

  const next = load(url, signal);
  assert.equal(asked.length, 2);
  asked[1]!.answer(wav());
  assert.equal((await next).length, 800);
});

for (const headers of [{ "cache-control": "no-store" }, { vary: "*" }]) {
  const [[name, value] = []] = Object.entries(headers);
  Deno.test(`loadAudio() asks for each by itself where the answer says ${name}: ${value}`, async () => {
    const { asked, load } = answering();
    const both = [1, 2].map(() => load("http://app.test/a.wav", signal));
    asked[0]!.answer(wav(headers));
    const first = await both[0];

    assert.equal(asked.length, 2);
    asked[1]!.answer(wav(headers));
    assert.notEqual(await both[1], first);
  });
}

Deno.test("loadAudio() asks nobody for who has gone already", async () => {
  const { asked, load } = answering();
  await assert.rejects(load("http://app.test/a.wav", AbortSignal.abort()), /it was aborted/);
  assert.equal(asked.length, 0);
});
