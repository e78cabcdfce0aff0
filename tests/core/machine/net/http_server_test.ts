import assert from "node:assert/strict";
import {
  type HttpOptions,
  type HttpServer,
  serveHttp,
} from "../../../../core/machine/net/http_server.ts";
import { createPlaces } from "../../../../core/machine/net/places.ts";
import { addressList } from "../../../../core/base/networks.ts";
import { getRequest, openRaw } from "../../../support/service/raw_http.ts";

type Lab = HttpServer & AsyncDisposable & { port: number };

const echo = async (request: Request) => new Response(`got ${(await request.text()).length}`);

async function startServer(
  options: Partial<HttpOptions> = {},
  answer: (request: Request) => Promise<Response> = echo,
): Promise<Lab> {
  const address = { hostname: "127.0.0.1", port: 0, name: "PORT" };
  const server = await serveHttp({ address, ...options }, answer);
  const { port } = server.address;
  return { ...server, port, [Symbol.asyncDispose]: () => server.shutdown() };
}

const post = (length: number, more = "") =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${more}\r\n`;

for (
  const [what, request] of [
    ["no Host", "GET / HTTP/1.1\r\n\r\n"],
    ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["no HTTP", "HELLO\r\n\r\n"],
    [
      "two lengths of a body",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
  ] as const
) {
  Deno.test(`serveHttp() answers 400 to ${what}, safely in browsers, and closes`, async () => {
    await using server = await startServer();
    const client = openRaw(server.port);
    client.send(request);
    const answer = await client.closed;

    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /\r\nX-Content-Type-Options: nosniff\r\n/);
    assert.match(answer, /\r\nContent-Security-Policy: frame-ancestors 'none'\r\n/);
  });
}

Deno.test("serveHttp() answers HTTP/1.0 without Host", async () => {
  await using server = await startServer();
  const client = openRaw(server.port);
  client.send("GET / HTTP/1.0\r\n\r\n");

  assert.match(await client.closed, /^HTTP\/1\.1 200 .*got 0$/s);
});

Deno.test("serveHttp() answers 431 to a head without end", async () => {
  await using server = await startServer();
  const client = openRaw(server.port);
  client.send(getRequest("/", `X: ${"a".repeat(40_000)}\r\n`));

  assert.match(await client.closed, /^HTTP\/1\.1 431 /);
});

Deno.test("serveHttp() answers 431 to more header fields than 100, and reads no body", async () => {
  await using server = await startServer();
  const fields = (count: number) =>
    Array.from({ length: count }, (_, n) => `x-${n}: a\r\n`).join("");
  const [most, more] = [openRaw(server.port), openRaw(server.port)];
  most.send(getRequest("/", `Connection: close\r\n${fields(98)}`)); // And Host.
  more.send(getRequest("/", `${fields(100)}Content-Length: 1000\r\n`).replace("GET", "POST"));

  assert.match(await most.closed, /^HTTP\/1\.1 200 /);
  assert.match(await more.closed, /^HTTP\/1\.1 431 .*it has more than 100 header fields\n/s);
});

Deno.test("serveHttp() ends slow heads and bodies within 20 s, and no others", async () => {
  await using server = await startServer();
  const begunAt = Date.now();
  const [silent, half, second, body, trickling] = Array.from(
    { length: 5 },
    () => openRaw(server.port),
  ) as [Raw, Raw, Raw, Raw, Raw];
  const [idle, steady] = [openRaw(server.port), openRaw(server.port)];
  half.send("GET / HTTP/1.1\r\nHo");
  second.send(getRequest());
  await second.received("got 0");
  second.send("GET /");
  body.send(post(100_000) + "half");
  trickling.send(post(100_000));
  idle.send(getRequest());
  await idle.received("got 0");
  steady.send(post(200_000));
  const byByte = setInterval(() => trickling.send("a"), 100);
  const fast = setInterval(() => steady.send("a".repeat(1_000)), 100);
  const slow = [silent, half, second, body, trickling];
  const ends = await Promise.all(slow.map(({ closed }) => closed));
  const tookMs = Date.now() - begunAt;
  clearInterval(byByte);

  idle.send(getRequest());
  await steady.received("got 200000");
  clearInterval(fast);
  const again = await idle.received(/got 0.*got 0/s);
  for (const client of [idle, steady]) client.close();

  for (const end of ends) assert.match(end, /HTTP\/1\.1 408 /);
  assert.ok(tookMs > 14_000 && tookMs < 20_000, `took ${tookMs} ms`);
  assert.ok(again);
});

type Raw = ReturnType<typeof openRaw>;

Deno.test("serveHttp() gives one address so many connections, and others theirs", async () => {
  await using server = await startServer({ perAddress: 2 });
  const first = [openRaw(server.port), openRaw(server.port)];
  for (const client of first) client.send(getRequest());
  await Promise.all(first.map((client) => client.received("got 0")));
  const third = openRaw(server.port);
  const refused = await third.closed;
  const other = openRaw(server.port, "127.0.0.2");
  other.send(getRequest());
  const served = await other.received("got 0");
  first[0]!.close();
  await first[0]!.closed;
  const next = await eventuallyServed(server.port);

  for (const client of [...first, other]) client.close();
  assert.match(refused, /^HTTP\/1\.1 503 .*Retry-After: 10\r\n.*Too many connections/s);
  assert.match(served, / 200 /);
  assert.match(next, / 200 /);
});

/** The server learns of a closed connection a moment after its client. */
async function eventuallyServed(port: number): Promise<string> {
  for (;;) {
    const client = openRaw(port);
    client.send(getRequest());
    const text = await client.received("got 0").catch(() => "");
    client.close();
    if (text !== "") return text;
  }
}

Deno.test("serveHttp() bounds requests under way of a client behind a trusted proxy", async () => {
  const isTrustedProxy = addressList(["127.0.0.1"]);
  await using server = await startServer({ perAddress: 2, isTrustedProxy });
  const from = (client: string, port = server.port) => {
    const raw = openRaw(port);
    raw.send(post(4, `X-Forwarded-For: 203.0.113.7, ${client}\r\n`));
    return raw;
  };
  const waiting = [from("192.0.2.1"), from("192.0.2.1")];
  const third = await waitFor(() => from("192.0.2.1"), /^HTTP\/1\.1 503 /);
  const other = from("192.0.2.2");
  other.send("body");
  const served = await other.received("got 4");
  for (const client of waiting) client.send("body");
  const finished = await Promise.all(waiting.map((client) => client.received("got 4")));
  const after = from("192.0.2.1");
  after.send("body");
  const again = await after.received("got 4");

  for (const client of [...waiting, other, after]) client.close();
  assert.match(third, /Too many connections/);
  for (const text of [served, again, ...finished]) assert.match(text, / 200 /);
});

/** Opens connections until one is answered so at once; the ones before count too. */
async function waitFor(open: () => Raw, what: RegExp): Promise<string> {
  const client = open();
  return await client.received(what).finally(() => client.close());
}

Deno.test("serveHttp() ignores the headers of a peer that is no trusted proxy", async () => {
  await using server = await startServer({ perAddress: 1 });
  const first = openRaw(server.port);
  first.send(getRequest("/", "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.9\r\n"));
  const served = await first.received("got 0");
  const second = openRaw(server.port);
  const refused = await second.closed;

  first.close();
  assert.match(served, / 200 /);
  assert.match(refused, /^HTTP\/1\.1 503 /);
});

Deno.test("serveHttp() answers 400 to contradictory headers of a trusted proxy", async () => {
  await using server = await startServer({ isTrustedProxy: addressList(["127.0.0.1"]) });
  const client = openRaw(server.port);
  client.send(getRequest("/", "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.9\r\n"));

  assert.match(await client.closed, /^HTTP\/1\.1 400 .*remove the other/s);
});

Deno.test("serveHttp() closes connections without a place, and serves again when there is one", async () => {
  await using server = await startServer({ places: createPlaces(1) });
  const first = openRaw(server.port);
  first.send(getRequest());
  await first.received("got 0");
  const refused = await openRaw(server.port).closed;
  first.close();

  assert.equal(refused, "");
  assert.match(await eventuallyServed(server.port), / 200 /);
});

Deno.test("shutdown() lets the request under way finish, and no idle connection hold it up", async () => {
  const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = await startServer({}, async (request) => {
    if (!request.url.endsWith("/slow")) return new Response("idle");
    begun.resolve();
    await finish.promise;
    return new Response("done");
  });
  const [idle, slow] = [openRaw(server.port), openRaw(server.port)];
  idle.send(getRequest("/"));
  await idle.received("idle");
  slow.send(getRequest("/slow"));
  await begun.promise;
  const stopped = server.shutdown();
  await idle.closed;
  finish.resolve();
  await stopped;

  assert.match(await slow.closed, /HTTP\/1\.1 200 .*done/s);
});

Deno.test("serveHttp() sends documents whole, with their length in bytes, compressed or not", async () => {
  const document = JSON.stringify({ name: "Zoë 名前 📞" });
  await using server = await startServer({}, (request) => {
    const isZipped = request.headers.get("Accept-Encoding")?.includes("gzip") === true;
    const headers = { "Content-Type": "application/json; charset=utf-8" };
    if (!isZipped) return Promise.resolve(new Response(document, { headers }));
    const zipped = new Blob([document]).stream().pipeThrough(new CompressionStream("gzip"));
    const zippedHeaders = { ...headers, "Content-Encoding": "gzip" };
    return Promise.resolve(new Response(zipped, { headers: zippedHeaders }));
  });
  for (const coding of ["identity", "gzip"]) {
    const response = await fetch(`http://127.0.0.1:${server.port}/`, {
      headers: { "Accept-Encoding": coding },
    });
    assert.equal(await response.text(), document, coding);
    if (coding !== "identity") continue;
    const { byteLength } = new TextEncoder().encode(document);
    assert.equal(response.headers.get("Content-Length"), String(byteLength));
  }
});

Deno.test("serveHttp() logs once that a near proxy is not trusted", async () => {
  const logged: [string, Record<string, unknown> | undefined][] = [];
  const log = (line: string, fields?: Record<string, unknown>) => void logged.push([line, fields]);
  await using server = await startServer({ log });
  const client = openRaw(server.port);

  client.send(getRequest("/", "X-Forwarded-For: 192.0.2.1\r\n"));
  await client.received("got 0");
  client.send(getRequest("/", "X-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n"));
  await client.closed;

  assert.equal(logged.length, 1);
  assert.match(logged[0]![0], /TRUSTED_PROXIES/);
  assert.deepEqual(logged[0]![1], { peer: "127.0.0.1" });
});

Deno.test("serveHttp() logs nothing of a trusted proxy, nor of a client without one", async () => {
  const logged: string[] = [];
  const isTrustedProxy = addressList(["127.0.0.1"]);
  for (const options of [{ isTrustedProxy }, {}]) {
    await using server = await startServer({ ...options, log: (line) => void logged.push(line) });
    const client = openRaw(server.port);
    const proxied = "isTrustedProxy" in options ? "X-Forwarded-For: 192.0.2.1\r\n" : "";
    client.send(getRequest("/", `${proxied}Connection: close\r\n`));
    await client.closed;
  }

  assert.deepEqual(logged, []);
});
