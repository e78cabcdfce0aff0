import assert from "node:assert/strict";
import { builder, documentOf } from "../../../../core/openapi/typescript_client/runtime/element.ts";
import { list } from "../../../../core/openapi/typescript_client/runtime/list.ts";
import {
  ApiError,
  sender,
  type Wanted,
} from "../../../../core/openapi/typescript_client/runtime/send.ts";
import { verifySignature } from "../../../../core/openapi/typescript_client/runtime/verify_signature.ts";
import { signedRequest } from "../../../../core/base/signature.ts";
import { parseDocument } from "../../../../core/markup/parse.ts";

type Answer = (request: Request) => Response;

/** A server that answers requests one after another, each by its own function, the last ones the same. */
function serve(...answers: Answer[]) {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)]!;
    seen.push(`${request.method} ${new URL(request.url).pathname}`);
    return answer(request);
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  const send = sender({ baseUrl, accountSid: "AC1", authToken: "secret" });
  return { send, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

const at = (status: number, headers: Record<string, string> = {}): Answer => () =>
  Response.json({ code: 20500, message: "No" }, { status, headers });
const now = { "Retry-After": "0" };
const read: Wanted = { method: "GET", path: "/a.json", isIdempotent: true };
const create: Wanted = { method: "POST", path: "/a.json", body: {}, isIdempotent: false };
const remove: Wanted = { method: "DELETE", path: "/a.json", isIdempotent: true };

Deno.test("the client sends a read again after 503, and after a refusal of the rate limit", async () => {
  await using server = serve(at(503, now), at(429, now), at(200));

  assert.equal((await server.send(read)).status, 200);
  assert.equal(server.seen.length, 3);
});

Deno.test("the client sends a creation again after 429", async () => {
  await using server = serve(at(429, now), at(200));

  assert.equal((await server.send(create)).status, 200);
});

Deno.test("the client repeats a creation with an Idempotency-Key, and sends the same key", async () => {
  const keys: (string | null)[] = [];
  const noting = (answer: Answer): Answer => (request) => {
    keys.push(request.headers.get("Idempotency-Key"));
    return answer(request);
  };
  await using server = serve(noting(at(503, now)), noting(at(200)));

  const keyed = { ...create, idempotencyKey: "order-1042", isIdempotent: true };
  assert.equal((await server.send(keyed)).status, 200);
  assert.deepEqual(keys, ["order-1042", "order-1042"]);
});

Deno.test("the client sends a request without a key once where it may have been performed", async () => {
  await using server = serve(at(503, now), at(200));

  await assert.rejects(server.send(create), { name: "ApiError", status: 503, code: 20500 });
  assert.equal(server.seen.length, 1);
});

Deno.test("the client gives up after four attempts", async () => {
  await using server = serve(at(500, now));

  await assert.rejects(server.send(read), ApiError);
  assert.equal(server.seen.length, 4);
});

Deno.test("a deletion that is sent again succeeds when the record is gone, the first one fails", async () => {
  await using lost = serve(at(502, now), at(404));
  assert.equal((await lost.send(remove)).status, 404);

  await using unknown = serve(at(404));
  await assert.rejects(unknown.send(remove), { status: 404 });
});

Deno.test("an error that is not of the service has no code", async () => {
  await using server = serve(() => new Response("<h1>Bad</h1>", { status: 403 }));

  await assert.rejects(server.send(read), { status: 403, code: null });
});

Deno.test("an error of the client names the method and the URL of the request", async () => {
  await using server = serve(at(400));
  const lost = sender({ baseUrl: "http://127.0.0.1:1/pbx", accountSid: "AC1", authToken: "x" });
  const query = { To: "+4930123456" };

  const refused = await server.send({ ...read, query }).catch((error) => error);
  assert.ok(refused instanceof ApiError);
  assert.equal(refused.method, "GET");
  assert.match(refused.url, /^http:\/\/127\.0\.0\.1:\d+\/a\.json\?To=%2B4930123456$/);
  assert.match(refused.message, /^No \(GET http:\/\/127\.0\.0\.1:\d+\/a\.json\)$/);
  await assert.rejects(lost(create), ({ message, cause }) => {
    assert.match(message, /\(POST http:\/\/127\.0\.0\.1:1\/pbx\/a\.json\)$/);
    return cause instanceof Error;
  });
});

Deno.test("the client refuses an empty base URL and empty credentials by name", () => {
  const right = { baseUrl: "http://127.0.0.1:8080", accountSid: "AC1", authToken: "secret" };
  const refused = (option: string) => ({ name: "TypeError", message: new RegExp(option) });

  assert.throws(() => sender({ ...right, accountSid: "" }), refused("accountSid is empty"));
  assert.throws(() => sender({ ...right, authToken: " " }), refused("authToken is empty"));
  // A program in JavaScript may give a variable that is not set.
  const unset = { ...right, authToken: undefined as unknown as string };
  assert.throws(() => sender(unset), refused("authToken is empty"));
  assert.throws(() => sender({ ...right, baseUrl: "" }), refused("baseUrl is empty"));
});

Deno.test("a list follows the service's links below its own path, and reads nothing before", async () => {
  const link = '<https://elsewhere.test/x?Page=1>; rel="next", </x>; rel="last"';
  await using server = serve(
    () => Response.json([1, 2], { headers: { Link: link } }),
    (request) => Response.json([new URL(request.url).search]),
  );
  const records = list<unknown>(server.send, "/list.json");
  assert.deepEqual(server.seen, []);

  assert.deepEqual(await Array.fromAsync(records), [1, 2, "?Page=1"]);
  assert.deepEqual(server.seen, ["GET /list.json", "GET /list.json"]);
});

Deno.test("a list reads the pages of an envelope", async () => {
  await using server = serve(
    () => Response.json({ total: 2, next_page_uri: "/x?Page=1", calls: ["a"] }),
    () => Response.json({ total: 2, next_page_uri: "null", calls: ["b"] }),
  );

  assert.deepEqual(await Array.fromAsync(list(server.send, "/Calls.json")), ["a", "b"]);
});

const signable = { url: "https://app.test/voice?a=b", params: { CallSid: "CA1", Body: "ü & co" } };
for (const method of ["GET", "POST"] as const) {
  Deno.test(`verifySignature() takes a signed ${method} as it is, and nothing else`, async () => {
    const signal = AbortSignal.timeout(60_000);
    const now = Date.UTC(2024, 0, 31);
    const request = signedRequest({ ...signable, method }, { authToken: "token", now, signal });
    const signature = request.headers["x-switchboard-signature"] ?? null;
    const signed = { signature, method, url: request.url.href, body: request.body };
    const verify = (change: Partial<typeof signed>, token = "token", later = 0) =>
      verifySignature({ ...signed, ...change }, token, { now: now + later });

    assert.equal(await verify({}), true);
    assert.equal(await verify({}, "token", 299_000), true);
    assert.equal(await verify({}, "token", 301_000), false);
    assert.equal(await verify({}, "another"), false);
    assert.equal(await verify({ body: `${signed.body}x` }), false);
    assert.equal(await verify({ url: `${signed.url}x` }), false);
    assert.equal(await verify({ signature: null }), false);
    assert.equal(await verify({ signature: `${signature}0` }), false);
  });
}

Deno.test("built markup reads back as it was written, whatever is in it", () => {
  const text = "a < b & c > \"d\" 'e' \u0001\ud800ü";
  const say = builder<"Say", { voice?: string }, string>("Say");

  const document = parseDocument(documentOf(say({ voice: 'x"\n<&' }, text)));

  assert.deepEqual(document, [{
    name: "Say",
    attributes: { voice: 'x"\n<&' },
    children: [],
    text: "a < b & c > \"d\" 'e' \ufffdü",
  }]);
});

Deno.test("the client has at most 420 lines of code that are written by hand", async () => {
  const folder = new URL("../../../../core/openapi/typescript_client/", import.meta.url);
  let lines = 0;
  for (const part of ["", "runtime/", "generator/"]) {
    for await (const { name } of Deno.readDir(new URL(part, folder))) {
      if (!name.endsWith(".ts")) continue;
      const text = await Deno.readTextFile(new URL(part + name, folder));
      const code = text.replaceAll(/^\s*\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
      lines += code.split("\n").filter((line) => line.trim() !== "").length;
    }
  }
  assert.ok(lines > 200 && lines <= 420, String(lines));
});
