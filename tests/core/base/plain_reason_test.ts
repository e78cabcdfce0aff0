import assert from "node:assert/strict";
import { get } from "node:http";
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

Deno.test("plainReason() says in words what fetch and node:http say of a refused connection", async () => {
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
