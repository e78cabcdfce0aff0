import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get } from "node:http";
import { get as getSecurely } from "node:https";
import type { AddressInfo } from "node:net";
import { plainReason } from "../../../core/base/plain_reason.ts";

/** A port of the loopback that nothing listens on. */
function closedPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return (listener.addr as Deno.NetAddr).port;
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(() => assert.fail(), (error) => error);
const byNode = (url: string) =>
  new Promise((resolve, reject) => get(url, resolve).on("error", reject));

Deno.test("plainReason() describes a refused connection of fetch and node:http in plain words", async () => {
  const url = `http://127.0.0.1:${closedPort()}/`;
  const refused = "the server refused the connection; is it running there?";

  assert.equal(plainReason(await failureOf(fetch(url))), refused);
  assert.equal(plainReason(await failureOf(byNode(url))), refused);
});

Deno.test("plainReason() says in words that a server closed the connection, or does not speak HTTP", async () => {
  for (
    const [answer, expected] of [["", /closed the connection before/], [
      "no\r\n\r\n",
      /not HTTP/,
    ]] as const
  ) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const serving = (async () => {
      for await (const connection of listener) {
        await connection.read(new Uint8Array(1_000));
        await connection.write(new TextEncoder().encode(answer));
        connection.close();
      }
    })();
    const url = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/`;

    assert.match(plainReason(await failureOf(byNode(url))), expected);
    assert.match(plainReason(await failureOf(fetch(url))), expected);
    listener.close();
    await serving;
  }
});

Deno.test("plainReason() says that a server does not speak TLS", async () => {
  const server = createServer((_, response) => response.end("plain"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const bySecureNode = new Promise((resolve, reject) =>
    getSecurely(url, resolve).on("error", reject)
  );
  for (const failing of [fetch(url), bySecureNode]) {
    assert.match(
      plainReason(await failureOf(failing)),
      /does not speak TLS on this port; is it http/,
    );
  }
  const broken = new TypeError("client error (Connect): tls handshake eof");
  assert.match(plainReason(broken), /does not speak TLS/);
  server.closeAllConnections();
  server.close();
});

Deno.test("plainReason() keeps a message of ours, without the name of a class", () => {
  assert.equal(
    plainReason(new Error("it is over 64 KiB")),
    "it is over 64 KiB",
  );
  assert.equal(
    plainReason(new Error("TypeError: it is over 64 KiB")),
    "it is over 64 KiB",
  );
  assert.equal(plainReason("TypeError: failed"), "failed");
});

Deno.test("plainReason() says why no address of a name was reached", () => {
  const each = ["::1", "127.0.0.1"].map((address) =>
    new Error(`connect ECONNREFUSED ${address}:2525`)
  );
  const all = Object.assign(new AggregateError(each), { code: "ESOCKET" });

  assert.match(plainReason(all), /the server refused the connection/);
  assert.match(
    plainReason(new TypeError("fetch failed", { cause: all })),
    /refused the connection/,
  );
});

/** Errors of the machine and of responses, and their words. */
const ofMachine = [
  ["Parse Error: Header overflow", "HPE_HEADER_OVERFLOW", /headers of the response are too long/],
  ["Parse Error: Expected HTTP/", "HPE_INVALID_CONSTANT", /the response is not HTTP/],
  ["invalid gzip header", undefined, /cannot be decompressed/],
  ["No space left on device (os error 28)", undefined, /the disk of the service is full/],
  ["Read-only file system (os error 30)", undefined, /the disk of the service is read-only/],
  ["Input/output error (os error 5)", undefined, /the disk of the service reports I\/O errors/],
  ["Too many open files (os error 24)", undefined, /too few descriptors/],
] as const;

for (const [message, code, words] of ofMachine) {
  Deno.test(`plainReason() says what "${message}" means`, () => {
    assert.match(plainReason(Object.assign(new Error(message), code && { code })), words);
  });
}
