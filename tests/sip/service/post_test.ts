import assert from "node:assert/strict";
import { createPoster } from "../../../sip/service/post.ts";
import { createTimers } from "../../../sip/base/timers.ts";

const post = (signals: AbortSignal[] = [], ms = 5_000) => ({
  path: "/told",
  headers: () => ({ "x-signature": "signed" }),
  body: '{"name":"Zoë"}',
  ms,
  signals,
});

const answerOf = (body: string) =>
  new TextEncoder().encode(
    `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );

/** A server of HTTP by hand: does with each connection, by its number, what it is told. */
function serve(onConnection: (connection: Deno.Conn, number: number) => Promise<void>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      const over = onConnection(connection, served.length).catch(() => {})
        .finally(() => connection.close());
      served.push(over);
    }
  })();
  return {
    origin: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    connections: () => served.length,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(served);
    },
  };
}

/** Everything up to the end of the body; empty when the connection ended. */
async function readRequest(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(4_096);
  let text = "";
  while (!text.endsWith("}")) {
    const size = await connection.read(buffer);
    if (size === null) return "";
    text += new TextDecoder().decode(buffer.subarray(0, size));
  }
  return text;
}

Deno.test("createPoster() posts over one connection, length in bytes", async () => {
  const requests: string[] = [];
  const stop = new AbortController();
  await using server = serve(async (connection) => {
    for (let text = await readRequest(connection); text; text = await readRequest(connection)) {
      requests.push(text);
      await connection.write(answerOf('{"done":true}'));
    }
  });
  const poster = createPoster(server.origin, { timers: createTimers(), stopped: stop.signal });
  assert.deepEqual(await poster(post()), { status: 200, body: '{"done":true}' });
  await poster(post());
  stop.abort();
  assert.equal(server.connections(), 1);
  assert.match(requests[0]!, /^POST \/told HTTP\/1\.1\r\n/);
  assert.match(requests[0]!, /\r\ncontent-length: 15\r\n/i);
  assert.match(requests[0]!, /\r\nx-signature: signed\r\n/i);
});

Deno.test("createPoster() closes an idle connection before the other end would", async () => {
  const stop = new AbortController();
  const idle = Promise.withResolvers<void>();
  await using server = serve(async (connection) => {
    while (await readRequest(connection)) await connection.write(answerOf("done"));
    idle.resolve();
  });
  const life = { timers: createTimers(), stopped: stop.signal, reuseMs: 200 };
  const poster = createPoster(server.origin, life);
  await poster(post());
  const late = setTimeout(() => idle.reject(new Error("The connection stays open")), 10_000);
  await idle.promise;
  clearTimeout(late);
  await poster(post());
  stop.abort();
  assert.equal(server.connections(), 2);
});

Deno.test("createPoster() posts again when the idle connection had been closed", async () => {
  const stop = new AbortController();
  await using server = serve(async (connection, number) => {
    await readRequest(connection);
    await connection.write(answerOf(String(number)));
    // The second request on a connection finds it closed.
    await readRequest(connection);
  });
  const poster = createPoster(server.origin, { timers: createTimers(), stopped: stop.signal });
  assert.equal((await poster(post())).body, "0");
  assert.equal((await poster(post())).body, "1");
  assert.equal(server.connections(), 2);
  stop.abort();
});

Deno.test("createPoster() posts nothing again of which the answer had begun", async () => {
  const stop = new AbortController();
  let requests = 0;
  await using server = serve(async (connection) => {
    await readRequest(connection);
    await connection.write(answerOf("{}"));
    if (await readRequest(connection) !== "") {
      requests++;
      const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
      await connection.write(new TextEncoder().encode(`${head}2\r\n{"\r\n`));
      await heard.promise;
      return;
    }
  });
  const poster = createPoster(server.origin, { timers: createTimers(), stopped: stop.signal });
  const heard = Promise.withResolvers<void>();
  const texts: string[] = [];
  const parts = { onBegin() {}, onText: (text: string) => (texts.push(text), heard.resolve()) };
  await poster(post());
  const answer = await poster({ ...post(), parts }).catch((error: Error) => error);
  stop.abort();
  assert.ok(answer instanceof Error, "it was posted again");
  assert.deepEqual(texts, ['{"']);
  assert.equal(requests, 1);
});

Deno.test("createPoster() gives up when the time is over, and when a signal aborts", async () => {
  const stop = new AbortController();
  await using server = serve(async (connection) => {
    await readRequest(connection);
    await readRequest(connection); // Until the other end leaves.
  });
  const poster = createPoster(server.origin, { timers: createTimers(), stopped: stop.signal });
  await assert.rejects(poster(post([], 50)), /timed out after 50 ms/);
  const left = new AbortController();
  const asked = poster(post([left.signal]));
  left.abort();
  await assert.rejects(asked, /aborted the request/);
  await assert.rejects(poster(post([left.signal])), /aborted the request/);
  stop.abort();
});

Deno.test("createPoster() rejects when the port is closed, and when the response breaks off", async () => {
  const stop = new AbortController();
  const server = serve(async (connection) => {
    await readRequest(connection);
    await connection.write(
      new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
    );
  });
  const poster = createPoster(server.origin, { timers: createTimers(), stopped: stop.signal });
  await assert.rejects(poster(post()));
  await server[Symbol.asyncDispose]();
  await assert.rejects(poster(post()), /ECONNREFUSED|refused/);
  stop.abort();
});
