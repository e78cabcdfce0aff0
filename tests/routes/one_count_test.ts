import assert from "node:assert/strict";
import { metricsResponse } from "../../core/metrics/registry.ts";
import { takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { writeObserver } from "../../core/machine/start/service_ports.ts";
import type { App } from "../support/service/app.ts";
import { consoleClient, startConsole } from "../support/service/console_client.ts";
import { companion, companionOf, made, xml } from "../support/service/hand_companion.ts";

/** Calls by status, or by another word, and how many there are. */
type Counts = Record<string, number>;

const sumOf = (counts: Counts): number => Object.values(counts).reduce((a, b) => a + b, 0);

/** What `/metrics` says of a counter of this process, by the values of a label. */
async function measured(name: string, label: string): Promise<Counts> {
  const counts: Counts = {};
  for (const line of (await (await metricsResponse()).text()).split("\n")) {
    if (!line.startsWith(`${name}{`)) continue;
    const value = new RegExp(`${label}="([^"]+)"`).exec(line)?.[1] ?? "";
    counts[value] = (counts[value] ?? 0) + Number(line.split(" ").at(-1));
  }
  return counts;
}

const grown = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );

/** The numbers behind the figures of a page, by their titles. */
const figures = (page: string): Counts =>
  Object.fromEntries(
    [
      ...page.matchAll(/<span class="soft">([^<]+)<\/span><span class="figure">([\d,]+)</g),
      ...page.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([\d,]+)</g),
    ].map(([, title = "", figure = ""]) => [title, Number(figure.replaceAll(",", ""))]),
  );

/** Traffic of every kind that a call can come to: `created` and `completed` are how many there were. */
async function traffic(app: App): Promise<{ created: number; completed: number }> {
  const url = "https://app.test/voice";
  app.answers = ({ url }) =>
    new URL(url).pathname === "/reject" ? xml('<Reject reason="busy"/>') : xml("<Pause/>");
  const { sid: alice } = await made(app.root, "Clients", { Login: "alice", Password: "pw-pw" });
  await made(app.root, "Clients", { Login: "bob", Password: "pw-pw" });
  const number = (path: string, PhoneNumber: string) =>
    made(app.root, "IncomingPhoneNumbers", { PhoneNumber, VoiceUrl: `https://app.test/${path}` });
  const { sid: rejecting } = await number("reject", "+14155550101");
  const { sid: answering } = await number("voice", "+14155550102");
  await takeHeartbeat({ companion, legs: [], registered: 2 }, app.ports);

  const place = async (To: string) => {
    const { sid } = await made(app.root, "Calls", { To, From: "+14155550102", Url: url });
    await app.runJobs();
    return companionOf(app, sid);
  };
  // Two that fail before an INVITE: there is no such Client, and no Gateway.
  await place("client:nobody");
  await place("+442079460123");
  // Those whose INVITE left.
  const inviting = { type: "inviting", from: "+14155550102", to: "client:alice" } as const;
  for (const outcome of ["busy", "no-answer", "canceled", "failed"] as const) {
    const leg = await place("client:alice");
    await leg.report({ ...inviting, sipCallId: outcome });
    await leg.report({ type: "ended", outcome });
  }
  const talked = await place("client:alice");
  await talked.report({ ...inviting, sipCallId: "talked" });
  await talked.report({ type: "answered" });
  await talked.report({ type: "ended", outcome: "completed" });
  // Those that come in: one is rejected, one is answered.
  for (const [numberSid, outcome] of [[rejecting, "busy"], [answering, "completed"]] as const) {
    const leg = companionOf(app, app.ports.newSid("CA"));
    await leg.report({
      type: "incomingNumber",
      numberSid,
      dialled: "+14155550101",
      from: { user: "+442079460123", host: "carrier.test" },
      hops: 0,
      sipCallId: numberSid,
      headers: {},
    });
    if (outcome === "completed") await leg.report({ type: "answered" });
    await leg.report({ type: "ended", outcome });
  }
  // One Client calls another: two legs.
  const caller = companionOf(app, app.ports.newSid("CA"));
  const parent = app.ports.newSid("CA");
  const dialling = companionOf(app, parent);
  await dialling.report({
    type: "incoming",
    login: "alice",
    clientSid: alice,
    uri: "sip:bob@sip.test",
    sipCallId: "internal",
    headers: {},
  });
  const to = "client:bob";
  await caller.report({ type: "inviting", parent, from: "client:alice", to, sipCallId: "leg" });
  await caller.report({ type: "answered" });
  await dialling.report({ type: "answered" });
  for (const leg of [caller, dialling]) await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
  return { created: 11, completed: 4 };
}

Deno.test("the list, Statistics, the overview, Health, /metrics and Usage count the same calls", async () => {
  using app = await startConsole({ observer: writeObserver });
  const createdBefore = await measured("switchboard_calls_created_total", "direction");
  const endedBefore = await measured("switchboard_calls_ended_total", "status");

  const expected = await traffic(app);

  const { calls: list } = (await app.root.get("Calls.json?PageSize=50")).json();
  const byStatus: Counts = {};
  for (const { status } of list) byStatus[status] = (byStatus[status] ?? 0) + 1;
  assert.equal(list.length, expected.created, JSON.stringify(byStatus));
  assert.equal(byStatus.completed, expected.completed);
  assert.ok(list.some((call: { start_time: string | null }) => call.start_time === null));

  const statistics = (await app.root.get("Statistics.json")).json();
  assert.equal(statistics.calls, list.length);
  const outcomes: Counts = {};
  for (const period of statistics.periods) {
    for (const status of ["completed", "busy", "no_answer", "failed", "canceled", "live"]) {
      outcomes[status] = (outcomes[status] ?? 0) + period[status];
    }
  }
  const { no_answer, live, ...others } = outcomes;
  assert.deepEqual({ ...others, "no-answer": no_answer }, byStatus);
  assert.equal(live, 0);
  assert.equal(sumOf(outcomes), list.length);

  const created = grown(
    createdBefore,
    await measured("switchboard_calls_created_total", "direction"),
  );
  assert.equal(sumOf(created), list.length);
  const ended = grown(endedBefore, await measured("switchboard_calls_ended_total", "status"));
  assert.deepEqual(ended, byStatus);

  const { Metrics } = (await app.root.get("Supervisor.json/metrics")).json();
  assert.equal(Metrics.TotalCallsSinceUptime, list.length);
  assert.deepEqual({
    completed: Metrics.CompletedCalls,
    busy: Metrics.BusyCalls,
    "no-answer": Metrics.NoAnswerCalls,
    failed: Metrics.FailedCalls,
    canceled: Metrics.CanceledCalls,
  }, byStatus);

  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const overview = (await browser.get(`/${app.root.sid}`)).text;
  assert.equal(figures(overview).Calls, list.length);
  assert.match(overview, new RegExp(`>${byStatus.failed} failed<`));
  const health = figures((await browser.get(`/${app.root.sid}/Supervisor`)).text);
  assert.equal(health["Calls since its start"], list.length);
  assert.equal(health["Failed since its start"], byStatus.failed);

  // Usage has charges: those of the calls that were answered.
  const usage = (await app.root.get("Usage/Records.json?Category=calls")).json();
  assert.deepEqual(usage.map(({ count }: { count: string }) => count), [
    String(byStatus.completed),
  ]);
});
