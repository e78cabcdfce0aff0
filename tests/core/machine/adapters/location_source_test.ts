import assert from "node:assert/strict";
import { locationSource } from "../../../../core/machine/adapters/location_source.ts";

const answer = "mcc=748,mnc=01";

/** A location source on the loopback, and what it was asked. */
function startSource(respond: (request: Request) => Response | Promise<Response>) {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`);
    return respond(request);
  });
  const { port } = server.addr;
  return {
    asked,
    url: `http://127.0.0.1:${port}/locate?key=secret`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const { signal } = new AbortController();

Deno.test("locationSource() asks by GET with msisdn beside the query of its own", async () => {
  await using source = startSource(() => new Response(answer));

  assert.equal(await locationSource(source.url).lookUp("59899077937", signal), answer);
  assert.deepEqual(source.asked, ["GET /locate?key=secret&msisdn=59899077937"]);
});

for (const status of [400, 404, 500, 503]) {
  Deno.test(`locationSource() rejects an answer with ${status}, whatever it says`, async () => {
    await using source = startSource(() => new Response(answer, { status }));

    const context = locationSource(source.url).lookUp("1", signal);

    await assert.rejects(context, { message: `the location source answered ${status}` });
  });
}

Deno.test("locationSource() rejects without its URL when it is slow or out of reach", async () => {
  const never = Promise.withResolvers<Response>();
  const source = startSource(() => never.promise);
  const late = new AbortController();

  const slow = locationSource(source.url).lookUp("1", late.signal);
  late.abort();

  await assert.rejects(slow, { message: "the location source does not answer in time" });
  never.resolve(new Response());
  await source[Symbol.asyncDispose]();
  const gone = locationSource(source.url).lookUp("1", signal);
  await assert.rejects(gone, { message: "the location source is out of reach" });
});

Deno.test("locationSource() reads no more of an endless answer than it may", async () => {
  const chunk = new TextEncoder().encode("x".repeat(1_000));
  await using source = startSource(() =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))
  );

  const text = await locationSource(source.url).lookUp("1", signal);

  assert.equal(text.length, 4 << 10);
});
