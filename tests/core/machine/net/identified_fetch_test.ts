import assert from "node:assert/strict";
import { outboundFetch } from "../../../../core/machine/adapters/outbound_fetch.ts";
import { createFetch, identifiedFetch } from "../../../../core/machine/net/identified_fetch.ts";
import { userAgent, version } from "../../../../core/base/version.ts";
import { createNames } from "../../../../core/machine/net/names.ts";
import { startNameServer } from "../../../support/process/name_server.ts";
import { createPoster } from "../../../../sip/service/post.ts";
import { createTimers } from "../../../../sip/base/timers.ts";

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

Deno.test("identifiedFetch() asks the name servers by itself", async () => {
  await using nameServer = await startNameServer(({ type }) => ({
    records: type === "A" ? [{ address: "127.0.0.1" }] : [],
  }));
  await using server = echoServer();
  const { port } = new URL(server.url);
  const ask = createFetch(createNames({ servers: [nameServer.address] }));

  // The system knows no such name: what asked it would fail.
  const response = await ask(`http://provider.test:${port}/`, {
    method: "POST",
    body: new Uint8Array(200_000),
  });

  assert.equal(await response.text(), userAgent);
  assert.equal(new URL(response.url).hostname, "provider.test");
  assert.ok(nameServer.asked.length > 0);
});

Deno.test("identifiedFetch() gives a name up whose name server is silent, with its signal", async () => {
  await using nameServer = await startNameServer(() => null);
  const ask = createFetch(createNames({ servers: [nameServer.address] }));
  const giveUp = new AbortController();
  const asked = ask("https://provider.test/", { signal: giveUp.signal });
  giveUp.abort(new Error("it took too long"));

  await assert.rejects(asked, /it took too long/);
  await assert.rejects(
    ask("https://provider.test/"),
    /provider\.test cannot be resolved by DNS: its name server does not answer/,
  );
});
