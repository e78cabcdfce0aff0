import assert from "node:assert/strict";
import { mock } from "node:test";
import { Hono } from "hono";
import { Fault, faults } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";

Deno.test("an unknown path answers 404, and below an account only with credentials", async () => {
  using app = await startApp();
  const anybody = { Authorization: "none" };

  for (const path of ["/", "/nothing.json", "/2010-01-01/Accounts", "/errors", "/errors/1"]) {
    assert.equal((await app.root.get(path, anybody)).status, 404, path);
  }
  for (const path of ["Nothing", "Nothing/", "Calls/CA1/Nothing", "/2012-04-24", "/2012-04-24/X"]) {
    assert.equal((await app.root.get(path)).status, 404, path);
    assert.equal((await app.root.get(path, anybody)).status, 401, path);
  }
});

Deno.test("a method that a path lacks answers 405 with Allow everywhere", async () => {
  using app = await startApp();

  for (const path of ["/health", "/ready", "/errors/20001"]) {
    const answer = await app.root.post(path);
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get("Allow"), "GET, HEAD");
  }
  assert.equal((await app.root.request("OPTIONS", "Calls")).status, 405);
});

Deno.test("a bug answers 500 without its message and is logged once with the request's id", async () => {
  using app = await startApp({
    ports: {
      newSid: (prefix) => {
        if (prefix === "CL") throw new Error("secret detail");
        return prefix + "0".repeat(32);
      },
    },
  });

  const form = { Login: "alice", Password: "secret" };
  const answer = await app.root.post("Clients.json", form);

  assert.equal(answer.status, 500);
  assert.equal(answer.json().code, 20500);
  assert.doesNotMatch(answer.text, /secret detail|\.ts/);
  assert.equal(app.logged.length, 1);
  const { requestId, error } = app.logged[0]!.fields!;
  assert.equal(requestId, answer.headers.get("X-Request-Id"));
  assert.match(String(error), /secret detail/);
});

Deno.test("a store out of reach answers 503 with Retry-After and is not logged", async () => {
  using app = await startApp();
  const unavailable = () => Promise.reject(new Fault("unavailable", "the store does not respond"));
  Object.assign(app.ports.records.outgoingCallerIds, { list: unavailable, insert: unavailable });

  for (
    const answer of [
      await app.root.get("OutgoingCallerIds.json"),
      await app.root.post("OutgoingCallerIds.json", { PhoneNumber: "+14155550101" }),
    ]
  ) {
    assert.equal(answer.status, 503);
    assert.equal(answer.json().code, 20503);
    assert.equal(answer.headers.get("Retry-After"), String(limits.retryAfterS));
  }
  assert.deepEqual(app.logged, []);
});

Deno.test("X-Request-Id is the client's own when it is safe, else a new one", async () => {
  using app = await startApp();
  const idOf = async (id: string) =>
    (await app.root.get("Nothing", { "X-Request-Id": id })).headers.get("X-Request-Id")!;

  assert.equal(await idOf("my-request.1"), "my-request.1");
  assert.equal(await idOf("x".repeat(64)), "x".repeat(64));
  for (const unsafe of ["short", "x".repeat(65), "with space", "<script>alert", 'quo"te-quote']) {
    assert.notEqual(await idOf(unsafe), unsafe);
  }
});

Deno.test("every fault has a code of its own and a page that explains it", async () => {
  using app = await startApp();
  const codes = Object.values(faults).map(({ code }) => code);
  assert.equal(new Set(codes).size, codes.length);

  for (const { code, advice } of Object.values(faults)) {
    const page = await app.root.get(`/errors/${code}`, { Authorization: "none" });
    assert.equal(page.status, 200);
    assert.equal(page.headers.get("Content-Type"), "text/html; charset=UTF-8");
    assert.ok(page.text.includes(advice.replaceAll("&", "&amp;")), String(code));
  }
});

Deno.test("no message of a refused parameter says the same twice", async () => {
  using app = await startApp();
  const refused: [path: string, form: Record<string, string>, message: string][] = [
    ["Calls", {}, "sender: From is required; To is required"],
    ["Calls", { From: "1", To: "2" }, "URL: Url or ApplicationSid is required"],
    ["SMS/Messages", { From: "+15550001" }, "recipient: To is required; Body is required"],
    ["IncomingPhoneNumbers/Mobile", {}, "number: PhoneNumber is required"],
    ["Geolocation/Immediate", { DeviceIdentifier: "123" }, "URL: StatusCallback is required"],
  ];
  for (const [path, form, message] of refused) {
    const answer = (await app.root.post(`${path}.json`, form)).json();
    assert.match(answer.message, new RegExp(`^Cannot use (the )?${message}$`));
  }
  const none = (await app.root.post("IncomingPhoneNumbers.json", { AreaCode: "999" })).json();
  assert.equal(none.code, 21452);
  assert.equal(
    none.message,
    "Cannot find an available number in the area: no number with AreaCode 999 is available",
  );
});

Deno.test("/health and /ready tell anybody whether the service works", async () => {
  const reachable = { store: "ok", companion: "ok" };
  using app = await startApp();
  const anybody = { Authorization: "none" };
  assert.deepEqual((await app.root.get("/health", anybody)).json(), { status: "ok" });
  await heartbeat(app, 0);
  assert.deepEqual((await app.root.get("/ready", anybody)).json(), reachable);
});

Deno.test("/ready answers 503 where no heartbeat of the companion was accepted lately", async () => {
  using app = await startApp();
  for (const agoMs of [undefined, limits.companionLostMs + 1]) {
    if (agoMs !== undefined) await heartbeat(app, agoMs);

    const answer = await app.root.get("/ready");

    assert.equal(answer.status, 503);
    assert.equal(answer.json().companion, "unheard");
    assert.equal(answer.json().store, "ok");
  }
});

/** The service accepted a companion's last heartbeat so long ago. */
const heartbeat = ({ ports }: App, agoMs: number) =>
  ports.companions.beat({ id: "one", runId: "1", registered: 0, seenAt: ports.now() - agoMs });

Deno.test("/ready answers 503 and names the part that is out of reach", async () => {
  for (const ready of [() => Promise.resolve(false), () => Promise.reject(new Error("refused"))]) {
    using app = await startApp();
    app.ports.control.ready = ready;

    const answer = await app.root.get("/ready");

    assert.equal(answer.status, 503);
    assert.equal(answer.json().companion, "unreachable");
    assert.equal(answer.json().store, "ok");
    assert.equal((await app.root.get("/health")).status, 200);
  }
});

Deno.test("/ready waits for a silent store only so long", async () => {
  using app = await startApp();
  app.ports.companions.list = () => new Promise(() => {});
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const answer = app.root.get("/ready");
    await Promise.resolve();
    mock.timers.tick(limits.readyTimeoutMs);
    assert.equal((await answer).json().store, "unreachable");
  } finally {
    mock.timers.reset();
  }
});

Deno.test("routes() mounts other interfaces beside this one, without its authentication", async () => {
  const mount = new Hono()
    .get("/hello", (c) => c.json({ hello: "world" }))
    .get("/fault", () => {
      throw new Fault("unavailable");
    });
  using app = await startApp({ mounts: () => ({ bridge: mount }) });
  const anybody = { Authorization: "none" };

  const hello = await app.http.request("/bridge/hello");
  assert.deepEqual(await hello.json(), { hello: "world" });
  assert.match(hello.headers.get("X-Request-Id")!, /^[0-9a-f-]{36}$/);
  assert.equal((await app.root.get("/bridge/fault.json", anybody)).json().code, 20503);
  assert.equal((await app.root.post("/bridge/hello")).headers.get("Allow"), "GET, HEAD");
});
