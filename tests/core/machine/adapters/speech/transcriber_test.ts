import assert from "node:assert/strict";
import { httpTranscriber } from "../../../../../core/machine/adapters/transcriber.ts";
import { Fault } from "../../../../../core/base/faults.ts";
import { limits } from "../../../../../core/base/limits.ts";

const mostMs = 20_000;
const never = new AbortController().signal;
const audio = (...parts: Uint8Array<ArrayBuffer>[]) => () =>
  Promise.resolve(ReadableStream.from(parts));
const wav = audio(Uint8Array.of(1, 2), Uint8Array.of(3));

/** A transcriber whose provider is a server of the test's. */
async function withProvider(
  answer: (request: Request) => Response | Promise<Response>,
  use: (transcriber: ReturnType<typeof httpTranscriber>) => Promise<void>,
  isLocal = false,
): Promise<void> {
  const address = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(address, answer);
  const url = `http://127.0.0.1:${server.addr.port}`;
  await use(httpTranscriber({ url, key: "k", model: "whisper-1", isLocal }));
}

for (const [isLocal, language] of [[false, "en"], [true, "en-GB"]] as const) {
  Deno.test(`transcribe() sends the audio with the language ${language}`, async () => {
    const forms: FormData[] = [];
    const answer = async (request: Request) => {
      assert.equal(new URL(request.url).pathname, "/v1/audio/transcriptions");
      assert.equal(request.headers.get("authorization"), "Bearer k");
      forms.push(await request.formData());
      return Response.json({ text: " hello there " });
    };
    await withProvider(answer, async (transcriber) => {
      assert.equal(
        await transcriber.transcribe(
          { open: wav, isLong: false, mostMs, language: "en-GB" },
          never,
        ),
        "hello there",
      );
      await transcriber.transcribe({ open: wav, isLong: false, mostMs }, never);
    }, isLocal);
    const texts = forms.map((form) =>
      ["model", "response_format", "language", "kind"].map((name) => form.get(name))
    );
    const kind = isLocal ? "recording" : null;
    assert.deepEqual(texts, [
      ["whisper-1", "json", language, kind],
      ["whisper-1", "json", null, kind],
    ]);
    assert.deepEqual(
      await (forms[0]!.get("file") as File).bytes(),
      Uint8Array.of(1, 2, 3),
    );
  });
}

const refusals: [status: number, body: string, isFinal: boolean, why: RegExp][] = [
  [400, '{"error":{"message":"too short"}}', true, /too short/],
  [401, "", true, /its status is 401/],
  [501, '{"error":{"message":"not installed"}}', true, /not installed/],
  [429, "", false, /its status is 429/],
  [503, "", false, /its status is 503/],
  [200, "<html>", true, /cannot parse the response/],
  [200, "{}", true, /cannot parse the response/],
];
for (const [status, body, isFinal, why] of refusals) {
  const worth = isFinal ? "is final" : "may be tried again";
  Deno.test(`transcribe(): the answer ${status} "${body}" ${worth}`, async () => {
    await withProvider(() => new Response(body, { status }), async (transcriber) => {
      const error = await transcriber.transcribe({ open: wav, isLong: false, mostMs }, never).then(
        () => assert.fail("it resolved"),
        (reason) => reason,
      );
      assert.match(error.message, why);
      assert.equal(error instanceof Fault, isFinal);
    });
  });
}

Deno.test("transcribe() takes no more audio than fits, and so many at once", async () => {
  const gates = [0, 1, 2].map(() => Promise.withResolvers<Response>());
  let asked = 0;
  await withProvider(() => gates[asked++]!.promise, async (transcriber) => {
    const huge = audio(...Array(65).fill(new Uint8Array(limits.transcriptionBytes / 64)));
    await assert.rejects(
      transcriber.transcribe({ open: huge, isLong: false, mostMs }, never),
      /the recording is larger than 64 MiB/,
    );

    let opened = 0;
    const open = () => (opened++, wav());
    const all = gates.map(() => transcriber.transcribe({ open, isLong: false, mostMs }, never));
    for (const gate of gates) {
      assert.ok(opened <= limits.transcriptionsAtOnce + gates.indexOf(gate));
      gate.resolve(Response.json({ text: "yes" }));
      await Promise.race(all);
    }
    assert.deepEqual(await Promise.all(all), ["yes", "yes", "yes"]);
  });
});

Deno.test("transcribe() gives up a provider that takes too long", async () => {
  const late = Promise.withResolvers<Response>();
  await withProvider(() => late.promise, async (transcriber) => {
    const attempt = transcriber.transcribe({ open: wav, isLong: false, mostMs: 20 }, never);
    const awake = setTimeout(() => {}, 5_000); // AbortSignal.timeout alone keeps nobody awake.
    await assert.rejects(attempt, /^Error: the recogniser took over 1 s$/);
    clearTimeout(awake);
    late.resolve(new Response());
  });
});

Deno.test("transcribe() lets no other recording wait for long ones", async () => {
  const answered = Promise.withResolvers<void>();
  const sizes: number[] = [];
  let [under, most] = [0, 0];
  const answer = async (request: Request) => {
    const { size } = (await request.formData()).get("file") as File;
    sizes.push(size);
    if (size === 3) return Response.json({ text: "short" });
    most = Math.max(most, ++under);
    await answered.promise;
    under--;
    return Response.json({ text: "long" });
  };
  await withProvider(answer, async (transcriber) => {
    const open = audio(Uint8Array.of(1));
    const slow = [1, 2, 3].map(() => transcriber.transcribe({ open, isLong: true, mostMs }, never));
    for (let i = 0; i < 3; i++) {
      const quick = await transcriber.transcribe({ open: wav, isLong: false, mostMs }, never);
      assert.equal(quick, "short");
    }
    answered.resolve();
    assert.deepEqual(await Promise.all(slow), ["long", "long", "long"]);
    assert.deepEqual([sizes.length, most], [6, 1]);
  });
});
