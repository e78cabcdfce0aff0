import assert from "node:assert/strict";
import { credentialsAnswer, protocolLimits } from "../../core/protocol/companion.ts";
import { readSealed } from "../../core/protocol/seal.ts";
import { signatureHeader, signRequest } from "../../core/protocol/signature.ts";
import { gatewaysAnswer } from "../../core/protocol/trunks.ts";
import { closeLostCompanions } from "../../core/reports/heartbeats.ts";
import { limits } from "../../core/base/limits.ts";
import { protocolRoutes } from "../../routes/protocol/routes.ts";
import { type App, startApp } from "../support/service/app.ts";
import { xml } from "../support/service/hand_companion.ts";

const secret = "a secret of both sides";

/** The bridge as it is mounted: the path that is signed is the whole one. */
async function ask(app: App, what: string, content: unknown, key = secret): Promise<Response> {
  const body = JSON.stringify(content);
  const path = `/bridge/${what}`;
  const signature = signRequest(key, { at: app.clock.now, method: "POST", path, body });
  const init = { method: "POST", headers: { [signatureHeader]: signature }, body };
  return await app.http.request(path, init);
}

const startProtocol = () =>
  startApp({ mounts: (ports) => ({ bridge: protocolRoutes(ports, secret) }) });

Deno.test("POST /bridge/credentials gives HA1s, and null for a login without a Client", async () => {
  using app = await startProtocol();
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const text = await (await ask(app, "credentials", { login: "alice" })).text();
  const { credentials } = credentialsAnswer.parse(readSealed(secret, text));
  assert.equal(credentials?.allowed, true);
  assert.match(credentials!.ha1.md5, /^[0-9a-f]{32}$/);
  assert.doesNotMatch(text, new RegExp(`secret|${credentials!.ha1.md5}`));
  for (const login of ["bob", "a".repeat(3_000)]) {
    assert.deepEqual(await (await ask(app, "credentials", { login })).json(), {
      credentials: null,
    });
  }
});

Deno.test("a creation of a Client asks no companion unless one may have cached its login as absent", async () => {
  using app = await startProtocol();
  app.clock.now += 2 * limits.loginAnswerMs;
  const asked = await ask(app, "credentials", { login: "alice" });
  assert.deepEqual(await asked.json(), { credentials: null });

  for (const Login of ["alice", "bob"]) {
    await app.root.post("Clients.json", { Login, Password: "secret" });
  }

  assert.deepEqual(app.forgotten, ["alice"]);
});

Deno.test("POST /bridge refuses requests that are unsigned, old, unknown, malformed or too large", async () => {
  using app = await startProtocol();
  assert.equal((await ask(app, "credentials", { login: "a" }, "another secret")).status, 401);
  assert.equal((await ask(app, "credentials", { user: "a" })).status, 400);
  assert.equal((await ask(app, "toString", {})).status, 404);
  const large = { login: "a".repeat(protocolLimits.bodyBytes) };
  assert.equal((await ask(app, "credentials", large)).status, 413);
  const body = "{}";
  const signed = { at: app.clock.now, method: "POST", path: "/bridge/heartbeat", body };
  const signature = signRequest(secret, signed);
  app.clock.now += protocolLimits.signatureWindowMs + 1;
  const headers = { [signatureHeader]: signature };
  const old = await app.http.request("/bridge/heartbeat", { method: "POST", headers, body });
  assert.equal(old.status, 401);
});

Deno.test("POST /bridge/heartbeat is answered with the tenants of legs of sub-accounts", async () => {
  using app = await startProtocol();
  const tenant = await app.subAccount(app.root, "tenant");
  const below = await app.subAccount(tenant, "below");
  const legs = [app.root, tenant, below].map(({ sid: accountSid }, at) => ({
    leg: `CA${String(at).repeat(32)}`,
    accountSid,
  }));
  const companion = { id: "one", runId: "first" };

  const answer = await ask(app, "heartbeat", { companion, legs, registered: 0 });

  assert.deepEqual((await answer.json()).tenants, { [below.sid]: tenant.sid });
});

Deno.test("POST /bridge/presence takes changes in order, and heartbeats request missing ones", async () => {
  using app = await startProtocol();
  const companion = { id: "one", runId: "first" };
  const beat = async () =>
    (await ask(app, "heartbeat", { companion, legs: [], registered: 1 })).json();
  const news = { companion, seq: 0, whole: false, came: ["alice"], went: [], registered: 3 };
  const tell = async (changes: Partial<typeof news>) =>
    (await ask(app, "presence", { ...news, ...changes })).json();
  const operator = app.root.sid;

  assert.deepEqual(await beat(), { wantsPresence: true, operator });
  assert.deepEqual(await tell({}), { isKnown: false });
  assert.deepEqual(await tell({ seq: 1, whole: true }), { isKnown: true });
  assert.equal((await app.ports.companions.get("one"))?.registered, 3);
  assert.deepEqual(await beat(), { wantsPresence: false, operator });
  assert.equal((await ask(app, "presence", { ...news, came: [""] })).status, 400);
  app.clock.now += limits.companionLostMs + 1;
  await closeLostCompanions(app.ports);
  assert.deepEqual(await beat(), { wantsPresence: true, operator });
});

Deno.test("POST /bridge reads nothing of a body without a signature", async () => {
  using app = await startProtocol();
  let pulled = 0;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 << 10).fill(32, 0, ++pulled && 1)),
  });
  const response = await app.http.request("/bridge/news", { method: "POST", body: endless });
  assert.equal(response.status, 401);
  assert.ok(pulled <= 1, `read ${pulled} chunks`); // One waits in the stream itself.
});

Deno.test("POST /bridge/number says whose a number is", async () => {
  using app = await startProtocol();
  const form = { PhoneNumber: "+14155550101" };
  const { sid } = (await app.root.post("IncomingPhoneNumbers.json", form)).json();
  const answer = await ask(app, "number", { dialled: ["14155550101"], gateway: null });
  assert.deepEqual(await answer.json(), {
    number: { accountSid: app.root.sid, numberSid: sid, dialled: "14155550101", allowed: true },
  });
  const nobody = await ask(app, "number", { dialled: ["14155550102"], gateway: null });
  assert.deepEqual(await nobody.json(), { number: null });
  for (const wrong of [{ dialled: [], gateway: null }, { dialled: ["1"] }, null]) {
    assert.equal((await ask(app, "number", wrong)).status, 400);
  }
});

Deno.test("POST /bridge/gateways gives registrations, and /bridge/gateway takes their status", async () => {
  using app = await startProtocol();
  const form = { UserName: "me", Password: "secret", Proxy: "sip.carrier.test" };
  const { sid } = (await app.root.post("Management/Gateways.json", form)).json();
  const asked = await ask(app, "gateways", { companionId: "a" });
  const { gateways: [given] } = gatewaysAnswer.parse(await asked.json());
  assert.equal(given?.gatewaySid, sid);
  const { gatewaySid, accountSid, version } = given!;
  const report = { companionId: "a", gatewaySid, accountSid, version, status: "registered" };
  assert.deepEqual(await (await ask(app, "gateway", report)).json(), {});
  const shown = (await app.root.get(`Management/Gateways/${sid}.json`)).json();
  assert.equal(shown.status, "registered");
  assert.equal((await ask(app, "gateways", {})).status, 400);
  assert.equal((await ask(app, "gateway", { ...report, status: "lost" })).status, 400);
});

Deno.test("POST /bridge/news takes reports side by side and answers the outcome of each", async () => {
  using app = await startProtocol();
  const client = await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const { login, sid: clientSid } = client.json();
  const reportOf = (leg: string, event: object) => ({
    companion: { id: "one", runId: "1" },
    leg: `CA${leg.repeat(32)}`,
    accountSid: app.root.sid,
    seq: 0,
    at: app.clock.now,
    event,
    wantsScript: false,
  });
  const incoming = { type: "incoming", uri: "sip:bob@sip.test", sipCallId: "1", headers: {} };
  const reports = [
    reportOf("a", { ...incoming, login, clientSid }),
    reportOf("b", { type: "ringing" }),
  ];

  const { outcomes } = await (await ask(app, "news", { reports })).json();

  assert.deepEqual(outcomes, ["taken", "taken"]);
  const call = await app.root.get(`Calls/CA${"a".repeat(32)}.json`);
  assert.equal((await call.json()).from, "client:alice");
});

Deno.test("POST /bridge/news and /questions take reports of a leg together in one commit, each once", async () => {
  using app = await startProtocol();
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const placed = await app.root.post("Calls.json", {
    From: "+15550001",
    To: "client:alice",
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/events",
    StatusCallbackEvent: "initiated ringing answered completed",
  });
  const { sid } = placed.json();
  await app.runJobs();
  app.answers = ({ url }) => url.endsWith("/events") ? new Response() : xml("<Pause/>");
  const begunAt = app.clock.now;
  const to = "client:alice";
  const inviting = { type: "inviting", from: "+15550001", to, sipCallId: "1" };
  const earlier = [
    { seq: 0, at: begunAt, event: inviting },
    { seq: 1, at: begunAt + 1_000, event: { type: "ringing" } },
  ];
  const reportOf = (more: object) => ({
    companion: { id: "one", runId: "1" },
    leg: sid,
    accountSid: app.root.sid,
    at: begunAt + 3_000,
    ...more,
  });
  const ringing = { type: "together", earlier: earlier.slice(0, 1), event: { type: "ringing" } };
  const news = reportOf({ seq: 1, at: begunAt + 1_000, event: ringing, wantsScript: false });
  const answered = { type: "together", earlier, event: { type: "answered" } };
  const question = reportOf({ seq: 2, event: answered, wantsScript: true });

  assert.deepEqual(await (await ask(app, "news", { reports: [news] })).json(), {
    outcomes: ["taken"],
  });
  // The companion has not heard that: it sends the same again, with what has happened since.
  const answer = JSON.parse(await (await ask(app, "questions", { reports: [question] })).text());
  await ask(app, "questions", { reports: [question] });
  await app.runJobs();

  assert.equal(answer.outcome, "taken");
  assert.equal(answer.script[0].type, "silence");
  const time = (ms: number) => new Date(begunAt + ms).toISOString().slice(11, 19);
  const callbacks = app.fetched.filter(({ url }) => url.endsWith("/events"));
  const told = await Promise.all(callbacks.map(async (request) => {
    const form = new URLSearchParams(await request.text());
    const field = (name: string) => form.get(name) ?? "";
    return [field("CallStatus"), field("SequenceNumber"), field("Timestamp").slice(17, 25)];
  }));
  assert.deepEqual(told, [
    ["initiated", "0", time(0)],
    ["ringing", "1", time(1_000)],
    ["in-progress", "2", time(3_000)],
  ]);
  const progress = await (await app.root.get(`Calls/${sid}/Progress.json`)).json();
  assert.equal(progress.date_ringing, new Date(begunAt + 1_000).toISOString());
  assert.equal(progress.date_answered, new Date(begunAt + 3_000).toISOString());
  const unknown = reportOf({
    seq: 3,
    event: { ...answered, earlier: [{ seq: 0, at: 0, event: { type: "ended" } }] },
    wantsScript: true,
  });
  assert.equal((await ask(app, "questions", { reports: [unknown] })).status, 400);
});
