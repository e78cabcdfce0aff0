import assert from "node:assert/strict";
import { laneOf } from "../../core/webhooks/deliver.ts";
import { answerOf } from "../../core/base/outgoing.ts";
import { Fault } from "../../core/base/faults.ts";
import { deliverWebhook, type Webhook } from "../../core/webhooks/deliver.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { fakeSignals } from "../support/sip/fake_signals.ts";

const url = "https://app.test/events";

/** Commits a webhook of the root account with a change of it, as a use case does. */
async function deliver(app: App, changes: Partial<Webhook> = {}): Promise<void> {
  const { sid: accountSid } = app.root;
  const params = { CallStatus: "completed" };
  const job = deliverWebhook({
    accountSid,
    callSid: null,
    url,
    method: "POST",
    params,
    ...changes,
  });
  await app.ports.accounts.update(accountSid, (account) => ({ record: account, jobs: [job] }));
}

async function deliveries(app: App, query = "") {
  return (await app.root.get(`Webhooks/Deliveries.json?${query}`)).json().deliveries;
}

/** Lets every retry come due. */
async function runAll(app: App): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await app.runJobs();
    app.clock.now += 2 * 3_600_000;
  }
}

Deno.test("a webhook is a Delivery from its cause to its answer", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  app.answers = () => new Response("got it", { status: 201, headers: { "x-a": "1" } });
  const callSid = `CA${"1".repeat(32)}`;
  await deliver(app, { callSid, event: "call.completed", params: { MessageSid: "", A: "1 & 2" } });

  const [queued] = await deliveries(app);
  assert.deepEqual(
    [queued.status, queued.url, queued.method, queued.event, queued.call_sid, queued.attempts],
    ["queued", url, "POST", "call.completed", callSid, []],
  );
  assert.equal(queued.request_variables, "MessageSid=&A=1+%26+2");
  app.clock.now += 1_000;
  await app.runJobs();

  const [delivered] = await deliveries(app);
  assert.deepEqual(delivered, {
    ...queued,
    date_updated: "Wed, 31 Jan 2024 12:00:01 +0000",
    status: "delivered",
    attempt_count: 1,
    attempts: [{
      start_time: "2024-01-31T12:00:01.000Z",
      duration: 0,
      status: 201,
      response_headers: "content-type: text/plain;charset=UTF-8\nx-a: 1",
      response_body: "got it",
      error: null,
    }],
  });
  assert.equal(app.fetched[0]!.headers.get("x-switchboard-delivery"), queued.sid);
  assert.deepEqual((await app.root.get(queued.uri)).json(), delivered);
});

Deno.test("requests of one call come one after another in their order, beside those of others", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const seen: string[] = [];
  const open = new Map<string, number>();
  let most = 0;
  app.ports.fetch = async (request) => {
    const form = new URLSearchParams(request.body);
    const call = form.get("CallSid")!;
    open.set(call, (open.get(call) ?? 0) + 1);
    assert.equal(open.get(call), 1, "one of the same call is under way");
    most = Math.max(most, [...open.values()].reduce((a, b) => a + b));
    await new Promise((turn) => setTimeout(turn));
    open.set(call, open.get(call)! - 1);
    seen.push(`${call} ${form.get("SequenceNumber")}`);
    return answerOf(new Response());
  };
  const calls = ["1", "2", "3"].map((digit) => `CA${digit.repeat(32)}`);
  const numbers = ["0", "1", "2", "3", "4"];
  for (const SequenceNumber of numbers) {
    for (const CallSid of calls) {
      await deliver(app, { callSid: CallSid, params: { CallSid, SequenceNumber } });
    }
  }
  await app.runJobs();

  for (const call of calls) {
    const own = seen.filter((one) => one.startsWith(call));
    assert.deepEqual(own, numbers.map((number) => `${call} ${number}`));
  }
  assert.ok(most > 1, "calls do not wait for each other");
});

Deno.test("every attempt is recorded with the reason for its failure, until the delivery is given up", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  let asked = 0;
  app.answers = () => {
    if (++asked === 2) throw new Error("connection refused");
    return new Response("x".repeat(5_000), { status: 503 });
  };
  await deliver(app);
  await app.runJobs();
  const [first] = await deliveries(app);
  assert.deepEqual([first.status, first.attempt_count], ["queued", 1]);
  await runAll(app);

  const [failed] = await deliveries(app);
  assert.deepEqual([failed.status, failed.attempt_count, asked], ["failed", 6, 6]);
  const told = failed.attempts.map((one: { status: number; error: string }) => [
    one.status,
    one.error,
  ]);
  const refused = [503, "the server answered 503"];
  assert.deepEqual(told, [refused, [
    null,
    "the server refused the connection; is it running there?",
  ], ...Array(4).fill(refused)]);
  assert.equal(failed.attempts[0].response_body.length, 1_024);
  const ids = app.fetched.map(({ headers }) => headers.get("x-switchboard-delivery"));
  assert.deepEqual(new Set(ids), new Set([failed.sid]));
  const { notifications } = (await app.root.get("Notifications.json")).json();
  assert.deepEqual(
    notifications.map((one: Record<string, unknown>) => [
      one.error_code,
      one.message_text,
      one.request_url,
      String(one.response_body).length,
    ]),
    [[
      11200,
      "Cannot deliver a status callback: given up: the server answered 503",
      url,
      5_000,
    ]],
  );
});

Deno.test("the oldest attempts that a record has no space for are dropped, and stay counted", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  Object.assign(app.ports.settings, { webhookMaxAttempts: 20 });
  const headers = { "x-long": "é".repeat(900) };
  app.answers = () => new Response("\u0001".repeat(3_000), { status: 500, headers });
  await deliver(app, { params: Object.fromEntries(Array(20).fill("é".repeat(1_000)).entries()) });
  for (let i = 0; i < 21; i++) {
    await app.runJobs();
    app.clock.now += 2 * 3_600_000;
  }

  const [{ status, attempt_count, attempts }] = await deliveries(app);
  assert.deepEqual([status, attempt_count > 10], ["failed", true]);
  assert.ok(attempts.length >= 1 && attempts.length <= limits.deliveryAttemptsShown);
});

Deno.test("Replay sends a delivery at once that waits for its next attempt, and its attempts go on", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  app.answers = () => new Response(null, { status: 500 });
  await deliver(app);
  await app.runJobs();
  const [{ uri, sid }] = await deliveries(app);
  const lane = laneOf({ url: app.fetched[0]!.url, accountSid: app.root.sid });
  const dueAt = await app.ports.jobs.dueAt(lane, sid);
  assert.ok(dueAt !== null && dueAt > app.clock.now, String(dueAt));
  app.answers = () => new Response();

  const answer = await app.root.post(uri, { Replay: "true" });
  assert.deepEqual([answer.status, answer.json().status], [200, "queued"]);
  await app.runJobs();
  const sent = (await app.root.get(uri)).json();
  assert.deepEqual([sent.status, sent.attempt_count], ["delivered", 2]);
  assert.equal(await app.ports.jobs.dueAt(lane, sid), null);
  assert.equal(await app.ports.jobs.hurry(lane, sid), false);
});

Deno.test("Replay sends a delivery again under its Sid, and answers the record", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  app.answers = () => new Response(null, { status: 500 });
  await deliver(app);
  const [{ uri, sid }] = await deliveries(app);
  const early = await app.root.post(uri, { Replay: "true" });
  assert.deepEqual([early.status, early.json().code], [400, 21230]);
  await runAll(app);
  app.answers = () => new Response();
  app.fetched.length = 0;

  const again = (await app.root.post(uri, { Replay: "true" })).json();
  assert.deepEqual([again.sid, again.status, again.attempt_count], [sid, "queued", 6]);
  await app.runJobs();
  const replayed = (await app.root.get(uri)).json();
  assert.deepEqual([replayed.status, replayed.attempt_count], ["delivered", 7]);
  await app.root.post(uri, { Replay: "true" });
  await app.runJobs();

  const ids = app.fetched.map(({ headers }) => headers.get("x-switchboard-delivery"));
  assert.deepEqual(ids, [sid, sid]);
  const nothing = await app.root.post(uri);
  assert.match(nothing.json().message, /Replay is required$/);
  const wrong = await app.root.post(uri, { Replay: "false" });
  assert.match(wrong.json().message, /Replay must be true$/);
});

Deno.test("a Replay of another account's delivery is refused", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const child = await app.subAccount(app.root, "child");
  await deliver(app);
  await app.runJobs();
  const [{ uri, sid }] = await deliveries(app);

  assert.equal((await child.post(uri, { Replay: "true" })).status, 403);
  const own = `Webhooks/Deliveries/${sid}.json`;
  assert.equal((await child.post(own, { Replay: "true" })).status, 404);
  app.fetched.length = 0;
  await app.runJobs();
  assert.equal(app.fetched.length, 0);
});

Deno.test("Deliveries are narrowed by Status, Url, CallSid and StartTime", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const callSid = `CA${"1".repeat(32)}`;
  await deliver(app, { callSid });
  await app.runJobs();
  app.clock.now += 86_400_000;
  await deliver(app, { url: "https://other.test/" });
  const [second, first] = (await deliveries(app)).map(({ sid }: { sid: string }) => sid);

  const cases: [query: string, found: string[]][] = [
    ["Status=queued", [second]],
    ["Status=delivered", [first]],
    ["Status=failed", []],
    [`Url=${encodeURIComponent(url)}`, [first]],
    [`CallSid=${callSid}`, [first]],
    ["StartTime=2024-01-31", [first]],
    ["StartTime>=2024-02-01", [second]],
    ["StartTime<2024-02-01", [first]],
    ["StartTime>=2024-01-01&Status=queued", [second]],
  ];
  for (const [query, found] of cases) {
    const sids = (await deliveries(app, query)).map(({ sid }: { sid: string }) => sid);
    assert.deepEqual(sids, found, query);
  }
});

Deno.test("credentials of a URL are sent, and shown nowhere, nor is the AuthToken", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const { token } = app.root;
  const secrets = [token, "pa ss@1", "pa%20ss%401", btoa("user:pa ss@1")];
  app.answers = (request) =>
    new Response(`${request.headers.get("authorization")} ${token} pa ss@1`, {
      status: 500,
      headers: { "x-echo": `${request.headers.get("authorization")} ${token}` },
    });
  await deliver(app, { url: "https://user:pa%20ss%401@app.test/events?x=1" });
  await runAll(app);

  assert.equal(app.fetched[0]!.headers.get("authorization"), `Basic ${btoa("user:pa ss@1")}`);
  assert.equal(app.fetched[0]!.url, "https://app.test/events?x=1");
  for (const list of ["Webhooks/Deliveries", "Notifications"]) {
    const { text } = await app.root.get(`${list}.json`);
    assert.ok(text.includes("https://app.test/events?x=1"), text);
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }
});

Deno.test("the error of a redirect does not show the password in its URL", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  app.answers = () => {
    throw new Error("error sending request for url (http://user:hidden@other.test/x)");
  };
  await deliver(app);
  await runAll(app);
  const [{ attempts }] = await deliveries(app);
  assert.equal(attempts[0].error, "error sending request for url (http://other.test/x)");
  const { text } = await app.root.get("Notifications.json");
  assert.ok(!text.includes("hidden"), text);
});

Deno.test("a delivery has 15 s, and at most 64 KiB of the answer are read", async () => {
  using signals = fakeSignals();
  let read = 0;
  let isCancelled = false;
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 8_192;
        controller.enqueue(new Uint8Array(8_192).fill(120));
      },
      cancel: () => void (isCancelled = true),
    });
  using app = await startApp({ madeUpWebhooks: true });
  app.answers = () => new Response(endless());
  await deliver(app);
  await app.runJobs();
  assert.ok(read <= (64 << 10) + 3 * 8_192, `${read} bytes`);
  assert.ok(isCancelled);
  assert.equal((await deliveries(app))[0].attempts[0].response_body.length, 1_024);

  app.ports.fetch = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      signals.expire(limits.callbackTimeoutMs);
    });
  await deliver(app);
  await app.runJobs();
  const [{ status, attempts }] = await deliveries(app);
  assert.deepEqual([status, attempts[0].error], ["queued", "no complete response within 15 s"]);
  assert.equal(limits.callbackTimeoutMs, 15_000);
});

Deno.test("a delivery to an address that may not be reached fails at once", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  app.answers = () => {
    throw new Fault("badUrl", "it is private");
  };
  await deliver(app);
  await app.runJobs();
  const [{ status, attempt_count }] = await deliveries(app);
  assert.deepEqual([status, attempt_count], ["failed", 1]);
});
