import assert from "node:assert/strict";
import { takeHeartbeat } from "../../core/reports/heartbeats.ts";
import type { LegEvent } from "../../core/protocol/events.ts";
import { handleReport } from "../../core/reports/handle_report.ts";
import { takePresence } from "../../core/companions/companions.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";

const companion = { id: "companion", runId: "run" };
const { signal } = new AbortController();

/** One report of a leg of the root account. */
const report = (app: App, leg: string, seq: number, event: LegEvent) =>
  handleReport(
    { companion, leg, accountSid: app.root.sid, seq, at: app.clock.now, event, wantsScript: false },
    app.ports,
    signal,
  );

const metricsOf = async (app: App) =>
  (await app.root.get("Supervisor.json/metrics")).json().Metrics;

async function call(app: App, to: string): Promise<string> {
  const form = { From: "+15550001", To: to, Url: "https://app.test/voice" };
  const { sid } = (await app.root.post("Calls.json", form)).json();
  await app.runJobs();
  return sid;
}

const inviting = { type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "abc@host" };

Deno.test("metrics name the instance and have every key of the interface", async () => {
  using app = await startApp();

  const { Metrics, ...instance } = (await app.root.get("Supervisor.json/metrics")).json();

  assert.deepEqual(Object.keys(instance), ["InstanceId", "Version", "Revision"]);
  assert.equal(instance.InstanceId, "test");
  assert.equal(instance.Revision, "f00d");
  assert.match(instance.Version, /^\d+\.\d+\.\d+$/);
  const names = [
    "TotalCallsSinceUptime",
    "NoAnswerCalls",
    "LiveOutgoingCalls",
    "OutgoingCallsSinceUptime",
    "IncomingCallsSinceUptime",
    "RegisteredUsers",
    "CompletedCalls",
    "TextMessageOutbound",
    "NotFoundCalls",
    "CanceledCalls",
    "FailedCalls",
    "TextMessageNotFound",
    "TextMessageInboundToApp",
    "LiveCalls",
    "BusyCalls",
    "LiveIncomingCalls",
    "TextMessageInboundToProxyOut",
    "TextMessageInboundToClient",
  ];
  assert.deepEqual(Metrics, Object.fromEntries(names.map((name) => [name, 0])));
});

Deno.test("metrics count changes of calls and messages, repeats once", async () => {
  using app = await startApp();
  await app.root.post("Clients", { Login: "alice", Password: "secret" });
  await takeHeartbeat({ companion, legs: [], registered: 1 }, app.ports);

  await call(app, "client:nobody");
  for (const outcome of ["busy", "no-answer", "canceled"] as const) {
    const sid = await call(app, "client:alice");
    for (const seq of [0, 0]) await report(app, sid, seq, { type: "ended", outcome });
  }
  const live = await call(app, "client:alice");
  await report(app, live, 0, inviting as LegEvent);
  await report(app, live, 1, { type: "answered" });
  await app.root.post("SMS/Messages", { From: "+15550001", To: "+15550002", Body: "hello" });
  await app.runJobs();

  const counted = Object.entries(await metricsOf(app)).filter(([, count]) => count !== 0);
  assert.deepEqual(Object.fromEntries(counted), {
    TotalCallsSinceUptime: 5,
    OutgoingCallsSinceUptime: 5,
    NoAnswerCalls: 1,
    BusyCalls: 1,
    CanceledCalls: 1,
    FailedCalls: 1,
    NotFoundCalls: 1,
    LiveCalls: 1,
    LiveOutgoingCalls: 1,
    RegisteredUsers: 1,
    TextMessageOutbound: 1,
    TextMessageNotFound: 1,
  });
  await report(app, live, 2, { type: "ended", outcome: "completed" });
  const { LiveCalls, CompletedCalls } = await metricsOf(app);
  assert.deepEqual([LiveCalls, CompletedCalls], [0, 1]);
});

Deno.test("metrics count the registered Clients of all companions that live, each once", async () => {
  using app = await startApp();
  const beat = async (id: string, came: string[]) => {
    const companion = { id, runId: "run" };
    const registered = came.length;
    await takeHeartbeat({ companion, legs: [], registered }, app.ports);
    const news = { companion, seq: 0, whole: true, came, went: [], registered };
    assert.ok(await takePresence(news, app.ports));
  };
  const registeredUsers = async () => (await metricsOf(app)).RegisteredUsers;

  await beat("gone", ["x", "y", "z"]);
  assert.equal(await registeredUsers(), 3);
  app.clock.now += limits.companionLostMs + 1;
  await beat("one", ["alice", "bob"]);
  await beat("two", ["bob", "carol"]);

  assert.equal(await registeredUsers(), 3);
});

Deno.test("an inbound call is counted as such while it lives and after", async () => {
  using app = await startApp();
  const alice = await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  const incoming = { type: "incoming", login: "alice", uri: "sip:1@sip.test", sipCallId: "x" };
  const clientSid = alice.json().sid;
  const event = { ...incoming, clientSid, headers: {} } as LegEvent;
  await report(app, `CA${"a".repeat(32)}`, 0, event);

  const { IncomingCallsSinceUptime, LiveIncomingCalls, LiveCalls } = await metricsOf(app);
  assert.deepEqual([IncomingCallsSinceUptime, LiveIncomingCalls, LiveCalls], [1, 1, 1]);
});

Deno.test("live calls are listed with their keys, in metrics only when asked for", async () => {
  using app = await startApp();
  await app.root.post("Clients", { Login: "alice", Password: "secret" });
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  const sid = await call(app, "client:alice");
  await report(app, sid, 0, inviting as LegEvent);
  await report(app, sid, 1, { type: "ringing" });

  const live = (await app.root.get("Supervisor.json/livecalls")).json();

  assert.deepEqual(live, [{
    sid,
    account_sid: app.root.sid,
    State: "ringing",
    direction: "outbound-api",
    date_created: "Wed, 31 Jan 2024 12:00:00 +0000",
    from: "+15550001",
    to: "client:alice",
    "Initial Invite": "abc@host",
  }]);
  const detailed = await app.root.get("Supervisor.json/metrics?LiveCallDetails=true");
  assert.deepEqual(detailed.json().LiveCallDetails, live);
  const plain = await app.root.get("Supervisor.json/metrics?LiveCallDetails=false");
  assert.equal("LiveCallDetails" in plain.json(), false);
  const wrong = await app.root.get("Supervisor.json/metrics?LiveCallDetails=yes");
  assert.deepEqual([wrong.status, wrong.json().code], [400, 20001]);
  const both = "LiveCallDetails=true&LiveCallDetails=false";
  const twice = (await app.root.get(`Supervisor.json/metrics?${both}`)).json();
  assert.match(twice.message, /: LiveCallDetails must be given once$/);
  const other = await app.root.get("Supervisor.json/livecalls?liveCalls=1");
  assert.equal(other.headers.get("Warning"), '299 - "Unknown parameter: liveCalls"');
});

Deno.test("the supervisor is of the root account, and speaks JSON", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");

  for (const path of ["metrics", "livecalls"]) {
    const xml = await app.root.get(`Supervisor/${path}`);
    assert.equal(xml.status, 406);
    assert.match(xml.text, /<Code>20406<\/Code>/);
    assert.equal((await app.root.get(`Supervisor/${path}.json`)).status, 200);
    assert.equal((await child.get(`Supervisor.json/${path}`)).json().code, 20403);
    const through = app.root.with({ sid: child.sid });
    assert.equal((await through.get(`Supervisor.json/${path}`)).status, 403);
    assert.equal((await app.root.post(`Supervisor.json/${path}`)).status, 405);
  }
});
