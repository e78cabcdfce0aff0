import assert from "node:assert/strict";
import { requestReader } from "../../../core/protocol/serve.ts";
import { signatureHeader, signRequest } from "../../../core/protocol/signature.ts";

const path = "/bridge/heartbeat";
const secret = "secret";

/** A request whose header signs one body, and which sends another; counts what was read of it. */
function requestOf(signed: string, parts: Iterable<string>, headers: Record<string, string> = {}) {
  let pulled = 0;
  const sent = parts[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = sent.next();
      if (done) return controller.close();
      pulled++;
      if (value === "") return new Promise(() => {}); // Nothing more comes.
      controller.enqueue(new TextEncoder().encode(value));
    },
  }, { highWaterMark: 0 });
  const signature = signRequest(secret, { at: Date.now(), method: "POST", path, body: signed });
  const init = { method: "POST", headers: { [signatureHeader]: signature, ...headers }, body };
  return { request: new Request(`http://service.test${path}`, init), pulled: () => pulled };
}

const reader = (bodyMs?: number) => {
  const read = requestReader({ secret, now: Date.now, ...bodyMs !== undefined && { bodyMs } });
  return async (request: Request, maxBytes = 1_000) => {
    const body = await read(request, { path, maxBytes });
    return typeof body === "string" ? body : body.status;
  };
};

function* endless() {
  for (;;) yield "x".repeat(100);
}

Deno.test("bridgeRequests() reads nothing of a body before its header is proven", async () => {
  const forged = "t=1,n=2,d=3,v1=4";
  const fresh = signRequest("a guess", { at: Date.now(), method: "POST", path, body: "" });

  for (const signature of ["", forged, fresh]) {
    const { request, pulled } = requestOf("", endless(), { [signatureHeader]: signature });
    assert.equal(await reader()(request), 401);
    assert.equal(pulled(), 0);
  }
});

Deno.test("bridgeRequests() gives the body that was signed, and refuses any other", async () => {
  assert.equal(await reader()(requestOf("ab", ["a", "b"]).request), "ab");
  assert.equal(await reader()(requestOf("ab", ["a", "c"]).request), 401);
  const told = { "content-length": "2" };
  assert.equal(await reader()(requestOf("ab", ["a", "b"], told).request), "ab");
  assert.equal(await reader()(requestOf("ab", ["a", "c"], told).request), 401);
});

Deno.test("bridgeRequests() refuses a body that is too long, at once where its length says so", async () => {
  const told = requestOf("", endless(), { "content-length": "1001" });
  const untold = requestOf("", endless());

  assert.deepEqual([await reader()(told.request), await reader()(untold.request)], [413, 413]);
  assert.equal(told.pulled(), 0);
  assert.ok(untold.pulled() <= 12, `read ${untold.pulled()} parts`);
});

Deno.test("bridgeRequests() waits for a body for a bounded time", async () => {
  assert.equal(await reader(20)(requestOf("ab", ["a", ""]).request), 408);
  const told = requestOf("ab", ["a", ""], { "content-length": "2" });
  assert.equal(await reader(20)(told.request), 408);
});

Deno.test("bridgeRequests() takes a captured request once", async () => {
  const read = reader();
  const { request } = requestOf("ab", ["ab"]);
  const captured = { method: "POST", headers: request.headers };
  const again = new Request(request.url, { ...captured, body: "ab" });

  assert.deepEqual([await read(request), await read(again)], ["ab", 401]);
});
