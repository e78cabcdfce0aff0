import assert from "node:assert/strict";
import { serviceRequests } from "../../../core/protocol/requests.ts";
import {
  createSignatureVerifier,
  isSignedBody,
  signatureHeader,
} from "../../../core/protocol/signature.ts";
import { createServiceLink } from "../../../sip/service/service_link.ts";
import { createTimers } from "../../../sip/base/timers.ts";

const companion = { id: "test", runId: "1" };

/** A server that gives each request one status, and a link to a service below a path of it. */
function startLink(status: number) {
  const seen: { path: string; signature: string | undefined; body: string }[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const signature = request.headers.get(signatureHeader) ?? undefined;
      seen.push({ path: new URL(request.url).pathname, signature, body: await request.text() });
      return Response.json({}, { status });
    },
  );
  const link = createServiceLink({
    serviceUrl: `http://127.0.0.1:${server.addr.port}/behind/proxy`,
    bridgeSecret: "secret",
    timers: createTimers(),
    stopped: new AbortController().signal,
  });
  return { link, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("heartbeat() keeps the path of the service's URL and signs only its own", async () => {
  await using lab = startLink(200);

  await lab.link.heartbeat({ companion, legs: [], registered: 0 });

  const [{ path, signature, body } = assert.fail()] = lab.seen;
  assert.equal(path, "/behind/proxy/bridge/heartbeat");
  const { verify } = createSignatureVerifier("secret", Date.now);
  const digest = verify(signature, { method: "POST", path: serviceRequests.heartbeat.path });
  assert.equal(isSignedBody(digest ?? "", body), true);
});

for (
  const [status, failure] of [
    [500, "defect"],
    [502, "outage"],
    [503, "outage"],
    [429, "outage"],
    [408, "outage"],
    [401, "outage"],
    [400, "refusal"],
    [413, "refusal"],
  ] as const
) {
  Deno.test(`heartbeat() rejects with ${failure} when the service answers ${status}`, async () => {
    await using lab = startLink(status);

    await assert.rejects(lab.link.heartbeat({ companion, legs: [], registered: 0 }), {
      message: `Cannot post /bridge/heartbeat: the service answered ${status}` +
        (status === 401
          ? ": BRIDGE_SECRET of service and companion differ, or their clocks by more than 30 s"
          : ""),
      failure,
    });
  });
}
