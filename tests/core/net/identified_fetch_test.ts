import assert from "node:assert/strict";
import { outboundFetch } from "../../../core/adapters/outbound_fetch.ts";
import { identifiedFetch, userAgent } from "../../../core/net/identified_fetch.ts";
import { version } from "../../../core/base/version.ts";
import { createPoster } from "../../../sip/service/post.ts";
import { createTimers } from "../../../sip/base/timers.ts";

/** A server that answers with the User-Agent of the request. */
function echoServer() {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ headers }) => new Response(headers.get("user-agent")),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const customers: Record<string, Parameters<typeof outboundFetch>[0]> = {
  "behind the guard": { mayReach: () => true, ownOrigin: "http://own.test" },
  "without a guard": { ownOrigin: "http://own.test" },
};

for (const [what, options] of Object.entries(customers)) {
  Deno.test(`requests to customers' servers ${what} name Switchboard and its version`, async () => {
    await using server = echoServer();

    const response = await outboundFetch(options)(new Request(server.url));

    assert.equal(await response.text(), `Switchboard/${version}`);
  });
}

Deno.test("identifiedFetch() names Switchboard, and keeps a User-Agent that is given", async () => {
  await using server = echoServer();
  const headers = { "User-Agent": "Mine/1" };

  assert.equal(await (await identifiedFetch(server.url)).text(), userAgent);
  assert.equal(await (await identifiedFetch(server.url, { headers })).text(), "Mine/1");
});

Deno.test("requests between the processes name Switchboard and its version", async () => {
  await using server = echoServer();
  const stopped = new AbortController();
  const post = createPoster(server.url, { timers: createTimers(), stopped: stopped.signal });

  const { body } = await post({
    path: "/",
    headers: () => ({}),
    body: "{}",
    ms: 5_000,
    signals: [],
  });

  assert.equal(body, userAgent);
  stopped.abort();
});
