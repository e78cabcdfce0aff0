import assert from "node:assert/strict";
import { readWav } from "../../../../core/machine/adapters/speech/read_wav.ts";
import {
  httpRecogniser,
  type RecogniserOptions,
} from "../../../../sip/media/sources/http_recogniser.ts";
import { learnTenants } from "../../../../core/base/learned_tenants.ts";
import { forAccount } from "../../../../sip/media/sources/recogniser.ts";
import { tone } from "../../../support/media/tone.ts";

const never = new AbortController().signal;
const pcm = tone(500, 0.5);
const plain = { language: "en-US", hints: [] };

/** A recogniser whose provider answers as it is told, and the forms that it was sent. */
function recognising(
  answer: () => Response | Promise<Response>,
  own: Partial<RecogniserOptions> = {},
) {
  const sent: FormData[] = [];
  const keys: (string | null)[] = [];
  const recogniser = httpRecogniser({
    endpoint: { url: "http://ears.test", key: "k", model: "whisper-1", isLocal: false },
    async fetch(input, init) {
      assert.equal(String(input), "http://ears.test/v1/audio/transcriptions");
      keys.push(new Headers(init?.headers).get("authorization"));
      sent.push(init?.body as FormData);
      return await answer();
    },
    ...own,
  });
  return { sent, keys, recogniser };
}

const fieldsOf = (form: FormData) =>
  Object.fromEntries([...form].filter(([, value]) => typeof value === "string"));

Deno.test("recognise() sends the utterance in the OpenAI form, hints as its prompt", async () => {
  const { sent, keys, recogniser } = recognising(() => Response.json({ text: " yes please " }));

  const options = { language: "en-US", hints: ["yes please", "no"] };
  const words = await recogniser.recognise(pcm, options, never);

  assert.deepEqual(words, { text: "yes please", confidence: 1 });
  assert.deepEqual(keys, ["Bearer k"]);
  assert.deepEqual(fieldsOf(sent[0]!), {
    model: "whisper-1",
    language: "en",
    response_format: "json",
    prompt: "yes please, no",
  });
  const file = await (sent[0]!.get("file") as File).bytes();
  assert.deepEqual(readWav(file), { pcm, sampleRate: 8_000 });
});

Deno.test("recognise() tells the speech process the whole language, and takes its confidence", async () => {
  const endpoint = { url: "http://ears.test", key: "", model: "local", isLocal: true };
  const answer = () => Response.json({ text: "yes", confidence: 0.6 });
  const { sent, keys, recogniser } = recognising(answer, { endpoint });
  assert.deepEqual(await recogniser.recognise(pcm, plain, never), { text: "yes", confidence: 0.6 });
  assert.deepEqual([keys, fieldsOf(sent[0]!).language], [[null], "en-US"]);
});

Deno.test("recognise() finds no words in an empty answer", async () => {
  const { recogniser } = recognising(() => Response.json({ text: " " }));
  assert.equal(await recogniser.recognise(pcm, plain, never), null);
});

const failures: [what: string, answer: () => Response | Promise<Response>, why: RegExp][] = [
  [
    "it is refused",
    () => Response.json({ error: { message: "not installed" } }, { status: 501 }),
    /not installed \(status 501\)/,
  ],
  ["the answer is none", () => new Response("<html>"), /its answer is not understood/],
  ["the answer lacks the text", () => Response.json({}), /its answer is not understood/],
  [
    "nobody is there",
    () => Promise.reject(new Error("connection refused")),
    /the server refused the connection/,
  ],
];
for (const [what, answer, why] of failures) {
  Deno.test(`recognise() says why when ${what}`, async () => {
    await assert.rejects(recognising(answer).recogniser.recognise(pcm, plain, never), why);
  });
}

Deno.test("recognise() takes so many utterances at once, and ends with its signal", async () => {
  const { recogniser } = recognising(() => Response.json({ text: "" }), {
    atOnce: 1,
    fetch: (_, init) =>
      new Promise((_, reject) =>
        init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))
      ),
  });
  const stop = new AbortController();
  const first = recogniser.recognise(pcm, plain, stop.signal);
  await assert.rejects(recogniser.recognise(pcm, plain, never), /too many callers speak at once/);
  stop.abort(new Error("hung up"));
  await assert.rejects(first, /hung up/);
});

Deno.test("recognise() leaves some of its places to other tenants, and shares them evenly", async () => {
  const { recogniser } = recognising(() => Response.json({ text: "" }), {
    atOnce: 20,
    fetch: (_, init) =>
      new Promise((_, reject) =>
        init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))
      ),
  });
  learnTenants({ "AC-flooder-sub": "AC-flooder" });
  const stop = new AbortController();
  const running: Promise<unknown>[] = [];
  /** As many utterances as an account gets understood at once. */
  const takeAll = async (accountSid: string): Promise<number> => {
    for (let taken = 0;; taken++) {
      const one = forAccount(recogniser, accountSid).recognise(pcm, plain, stop.signal);
      const refused = await Promise.race([
        one.then(() => null, (error: Error) => error.message),
        new Promise<null>((resolve) => setTimeout(resolve, 0, null)),
      ]);
      if (refused === null) running.push(one);
      else {
        assert.match(refused, /^too many callers .*speak at once$/);
        return taken;
      }
    }
  };
  assert.equal(await takeAll("AC-flooder-sub"), 15);
  assert.equal(await takeAll("AC-flooder"), 0);
  assert.equal(await takeAll("AC-second"), 2);
  for (const other of ["AC-third", "AC-fourth", "AC-fifth"]) assert.equal(await takeAll(other), 1);
  stop.abort(new Error("hung up"));
  await Promise.allSettled(running);
});
