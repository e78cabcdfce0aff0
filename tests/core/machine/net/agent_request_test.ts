import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { agentRequests } from "../../../../core/machine/net/agent_request.ts";
import { textOf } from "../../../../core/base/exchange.ts";
import type { Answer, OutgoingRequest } from "../../../../core/base/outgoing.ts";

/** A customer's server, what connected to it, and a request to it. */
async function serve(answer: (response: ServerResponse) => void) {
  const connections: Socket[] = [];
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  server.on("connection", (socket) => connections.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/status`);
  const request = (signal = new AbortController().signal): OutgoingRequest => ({
    url,
    method: "POST",
    headers: {},
    body: "CallStatus=completed",
    signal,
  });
  return {
    connections,
    request,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const textIn = ({ body }: Answer): Promise<string> => new Response(body).text();

Deno.test("agentRequests() gives a short answer as a whole, and a long one as a stream", async () => {
  const bodies = ["", "a short one", "x".repeat(300_000)];
  let next = 0;
  await using server = await serve((response) => response.end(bodies[next++]));
  const send = agentRequests();

  const answers = [];
  for (const _ of bodies) {
    const answer = await send(server.request());
    answers.push([answer.body instanceof Uint8Array, await textIn(answer)]);
  }

  assert.deepEqual(answers, [[true, bodies[0]], [true, bodies[1]], [false, bodies[2]]]);
  assert.equal(server.connections.length, 1);
});

Deno.test("agentRequests() refuses an answer of more than 100 header fields", async () => {
  await using server = await serve((response) => {
    for (let n = 0; n < 1_000; n++) response.setHeader(`x-${n}`, "a");
    response.end("a");
  });
  await assert.rejects(agentRequests()(server.request()), /it has more than 100 header fields$/);
});

Deno.test("agentRequests() reads gzip and br, whole and as a stream, and says why another coding fails", async () => {
  const text = "é".repeat(40_000);
  const long = Array.from({ length: 40_000 }, (_, n) => `${n * 7_919 % 100_003}`).join(" ");
  const cases: [coding: string, bytes: Uint8Array, expected: string | RegExp][] = [
    ["gzip", gzipSync(text), text],
    ["GZIP", gzipSync(long), long],
    ["x-gzip", gzipSync("short"), "short"],
    ["br", brotliCompressSync(long), long],
    ["br", brotliCompressSync(""), ""],
    ["identity", new TextEncoder().encode(text), text],
    ["gzip", new TextEncoder().encode("plain"), /its body is no gzip/],
    ["gzip", gzipSync(text).subarray(0, 60), /its body is no gzip/],
    ["deflate", new TextEncoder().encode("plain"), /its Content-Encoding is deflate/],
  ];
  let next = 0;
  await using server = await serve((response) => {
    const [coding, bytes] = cases[next]!;
    response.writeHead(200, { "content-encoding": coding, "content-length": bytes.length });
    response.end(bytes);
  });
  for (; next < cases.length; next++) {
    const [coding, , expected] = cases[next]!;
    const answer = agentRequests()(server.request());
    if (expected instanceof RegExp) await assert.rejects(answer, expected, coding);
    else assert.equal(await textIn(await answer), expected, coding);
  }
});

Deno.test("agentRequests() leaves the rest of a body that becomes much longer than it came", async () => {
  const bomb = gzipSync(new Uint8Array(64 << 20));
  await using server = await serve((response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(bomb);
  });
  const answer = await agentRequests()(server.request());
  const { text, isWhole } = await textOf(answer, 1_000);
  assert.deepEqual([text.length, isWhole], [1_000, false]);
  await once(server.connections[0]!, "close");
});

Deno.test("agentRequests() refuses an answer that is cut off", async () => {
  await using server = await serve((response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("the beginning", () => response.destroy());
  });

  await assert.rejects(agentRequests()(server.request()));
});

Deno.test("agentRequests() fails the stream of a long answer that is cut off", async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  await using server = await serve((response) => {
    response.writeHead(200, { "content-length": "1000000" });
    response.write("x".repeat(300_000));
    void isRead.then(() => response.destroy());
  });

  const answer = await agentRequests()(server.request());
  read();

  await assert.rejects(textIn(answer));
});

/** A server that closes the second connection's request without an answer; what came of that request. */
async function closedUnder(method: string) {
  let requests = 0;
  await using server = await serve((response) => {
    if (++requests === 2) response.destroy();
    else response.end("yes");
  });
  const send = agentRequests();
  await textIn(await send(server.request()));
  const body = method === "POST" ? "CallStatus=completed" : "";
  const text = await send({ ...server.request(), method, body }).then(textIn, () => null);
  return { text, requests, connections: server.connections.length };
}

Deno.test("agentRequests() sends a GET again that a kept connection was closed under", async () => {
  assert.deepEqual(await closedUnder("GET"), { text: "yes", requests: 3, connections: 2 });
  assert.equal((await closedUnder("HEAD")).requests, 3);
});

Deno.test("agentRequests() sends no POST again that the server may have taken", async () => {
  assert.deepEqual(await closedUnder("POST"), { text: null, requests: 2, connections: 1 });
});

Deno.test("agentRequests() sends a POST by a new connection where the kept one is closed already", async () => {
  let requests = 0;
  await using server = await serve((response) => {
    requests++;
    response.end("yes");
  });
  const send = agentRequests();
  for (let closed = 0; closed < 20; closed++) {
    await textIn(await send(server.request()));
    const connection = server.connections.at(-1)!;
    const isClosed = once(connection, "close"); // The client has not read it when the next request begins.
    connection.destroy();
    await isClosed;
  }
  assert.equal(await textIn(await send(server.request())), "yes");
  assert.equal(requests, 21);
});

for (
  const [when, begin] of [
    ["before the answer", () => {}],
    ["within the answer", (response: ServerResponse) => void response.write("the beginning")],
  ] as const
) {
  Deno.test(`agentRequests() ends with its signal ${when}`, async () => {
    const over = new AbortController();
    const reason = new Error("The time is over");
    await using server = await serve((response) => {
      begin(response);
      over.abort(reason);
    });

    await assert.rejects(agentRequests()(server.request(over.signal)), reason);
  });
}

Deno.test("agentRequests() leaves nothing at a signal once an answer is complete", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const [add, remove] = [signal.addEventListener, signal.removeEventListener];
  signal.addEventListener = function (...args: Parameters<typeof add>) {
    listeners++;
    add.apply(this, args);
  };
  signal.removeEventListener = function (...args: Parameters<typeof remove>) {
    listeners--;
    remove.apply(this, args);
  };
  const bodies = ["short", "x".repeat(300_000)];
  await using server = await serve((response) => response.end(bodies.shift()));
  const send = agentRequests();

  await textIn(await send(server.request(signal)));
  await textIn(await send(server.request(signal)));
  const kept = await send(server.request()); // The listeners of what came before are gone by now.

  assert.equal(await textIn(kept), "");
  assert.equal(listeners, 0);
});

Deno.test("agentRequests() closes the connection of a long answer that is given up, read or not", async () => {
  const closed: Promise<unknown>[] = [];
  await using server = await serve((response) => {
    closed.push(once(response, "close"));
    const more = () => {
      while (response.write("x".repeat(10_000)));
    };
    response.on("drain", more);
    more();
  });
  const send = agentRequests();

  for (const reads of [false, true]) {
    const { body } = await send(server.request());
    assert.ok(!(body instanceof Uint8Array));
    const reader = body.getReader();
    if (reads) await reader.read();
    await reader.cancel();
  }

  await Promise.all(closed);
});
