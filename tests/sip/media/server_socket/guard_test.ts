import assert from "node:assert/strict";
import { isPublicAddress } from "../../../../core/base/public_address.ts";
import { connectTo } from "../../../../sip/media/server_socket/connect.ts";
import { openServerSocket } from "../../../../sip/media/server_socket/socket.ts";
import { streamServer } from "../../../support/media/stream_server.ts";
import { testAuthority, testCertificates } from "../../../support/process/test_certificates.ts";

const { signal } = new AbortController();
const anywhere = { mayReach: () => true };

for (
  const url of ["wss://127.0.0.1/", "wss://localhost/", "wss://[::1]/", "wss://10.1.2.3:8443/"]
) {
  Deno.test(`connectTo() refuses ${url}, a private address`, async () => {
    await assert.rejects(
      connectTo(new URL(url), { mayReach: isPublicAddress }, signal),
      /is at a private address, and ALLOW_PRIVATE_URLS is not set/,
    );
  });
}

Deno.test("connectTo() says that a name has no address", async () => {
  await assert.rejects(
    connectTo(new URL("wss://nobody.invalid/"), anywhere, signal),
    /the name nobody.invalid cannot be resolved by DNS/,
  );
});

/** Resolves with what came of opening a WebSocket: "open", or why not. */
function opened(url: string, caCerts?: string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = openServerSocket({ url, headers: { "x-test": "1" } }, {
    ...anywhere,
    ...caCerts && { caCerts },
  }, {
    onOpen() {
      resolve("open");
      socket.close();
    },
    onText() {},
    onPong() {},
    onClose: ({ why }) => resolve(why),
  });
  return promise;
}

Deno.test("openServerSocket() opens wss to a server whose certificate is known, and to no other", async () => {
  const { cert, key } = testCertificates.first;
  await using server = await streamServer({ cert, key });

  assert.equal(await opened(server.url, [testAuthority]), "open");
  const connection = await server.next();
  assert.equal(connection.headers["x-test"], "1");
  assert.equal(connection.headers.host, new URL(server.url).host);
  assert.equal(await connection.closed, 1000);
  assert.match(await opened(server.url), /certificate/i);
});
