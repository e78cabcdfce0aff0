import assert from "node:assert/strict";
import { newBase, withDefaults } from "../../core/model/resource.ts";
import { type Call, calls } from "../../core/model/resources/calls.ts";
import { closeLostCompanions } from "../../core/reports/heartbeats.ts";
import { type ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";

const minuteMs = 60_000;

/** Calls that the tests have kept: their Sids of one instant are in this order. */
let kept = 0;

/** Keeps a call that was created some minutes ago, and began then unless it failed before. */
async function keepCall(
  app: App,
  { sid: accountSid }: ApiClient,
  minutes: number,
  own: Partial<Call>,
): Promise<void> {
  const at = app.clock.now - minutes * minuteMs;
  const sid = `CA${at.toString(16).padStart(12, "0")}${String(++kept).padStart(20, "0")}`;
  const base = newBase(calls, accountSid, { newSid: () => sid, now: () => at });
  const startTime = own.status === "failed" ? null : at;
  const sent = { from: "+15550001", to: "client:bob", startTime, ...own };
  const record = { ...base, ...withDefaults(calls, sent) } as Call;
  await app.ports.records.calls.insert({ record });
}

Deno.test("GET Statistics counts calls by outcome and period, and the time to the answer", async () => {
  using app = await startApp();
  app.clock.now += 30_000;
  const other = await app.subAccount(app.root, "other");
  const answeredAt = (minutes: number, ms: number) => app.clock.now - minutes * minuteMs + ms;
  await keepCall(app, app.root, 3, { status: "completed", answeredAt: answeredAt(3, 1_000) });
  await keepCall(app, app.root, 3, { status: "completed", answeredAt: answeredAt(3, 3_000) });
  await keepCall(app, app.root, 3, { status: "busy" });
  await keepCall(app, app.root, 0, { status: "in-progress", answeredAt: answeredAt(0, 9_000) });
  await keepCall(app, app.root, 20, { status: "no-answer" });
  await keepCall(app, app.root, 90, { status: "failed" });
  await keepCall(app, other, 3, { status: "failed" });

  const { periods, ...found } = (await app.root.get("Statistics.json")).json();
  assert.deepEqual([found.calls, found.sampled_calls], [5, 5]);
  assert.deepEqual([found.setup_median, found.setup_long], [3_000, 3_000]);
  assert.equal(periods.length, 30);
  assert.equal(periods.at(-1).live, 1);
  const [three] = periods.filter(({ total }: { total: number }) => total === 3);
  assert.deepEqual([three.completed, three.busy, three.failed], [2, 1, 0]);
  assert.equal(
    periods.reduce((sum: number, one: { no_answer: number }) => sum + one.no_answer, 0),
    1,
  );
  assert.deepEqual(found.failures, []);
  const day = (await app.root.get("Statistics.json?Span=day")).json();
  assert.equal(day.calls, 6);
  assert.deepEqual(day.failures, [{ cause: null, sip_response_code: null, count: 1 }]);
  assert.equal((await other.get("Statistics.json")).json().calls, 1);
  assert.equal((await other.with({ sid: app.root.sid }).get("Statistics.json")).status, 403);
});

Deno.test("GET Statistics estimates outcomes where more calls began than it looks at, and counts all", async () => {
  using app = await startApp();
  const statuses = ["completed", "completed", "completed", "failed"] as const;
  await Promise.all(
    Array.from(
      { length: 1_200 },
      (_, at) => keepCall(app, app.root, at < 600 ? 1 : 11, { status: statuses[at % 4]! }),
    ),
  );
  let most = 0;
  const { list } = app.ports.records.calls;
  app.ports.records.calls.list = (accountSid, query) => {
    most = Math.max(most, query.limit);
    return list(accountSid, query);
  };

  const { calls: total, sampled_calls, periods } = (await app.root.get("Statistics.json")).json();
  assert.deepEqual([total, sampled_calls, most], [1_200, 40, 20]);
  const busy = periods.filter(({ total }: { total: number }) => total > 0);
  assert.deepEqual(busy.map(({ total }: { total: number }) => total), [600, 600]);
  for (const { completed, failed } of busy) {
    assert.ok(Math.abs(completed - 450) < 50, String(completed));
    assert.ok(Math.abs(failed - 150) < 50, String(failed));
  }
});

type Counted = { count: number; failed: number };
const sumOf = (rows: Counted[], field: keyof Counted) =>
  rows.reduce((sum, one) => sum + one[field], 0);

Deno.test("GET Statistics counts failed calls by cause, and the counts add up", async () => {
  using app = await startApp();
  const [refused, unreachable] = [
    { by: "remote", cause: "refused", sipStatus: 503 },
    { by: "service", cause: "unreachable" },
  ] as const;
  for (const disconnection of [unreachable, refused, refused, null]) {
    await keepCall(app, app.root, 3, { status: "failed", disconnection });
  }
  const few = (await app.root.get("Statistics.json")).json();
  assert.deepEqual(few.failures, [
    { cause: "refused", sip_response_code: 503, count: 2 },
    { cause: null, sip_response_code: null, count: 1 },
    { cause: "unreachable", sip_response_code: null, count: 1 },
  ]);

  const ends = [refused, null, unreachable, undefined, undefined];
  await Promise.all(
    Array.from({ length: 900 }, (_, at) => {
      const disconnection = ends[at % ends.length];
      const ended = disconnection === undefined
        ? { status: "completed" } as const
        : { status: "failed", disconnection } as const;
      return keepCall(app, app.root, at % 7 * 4, ended);
    }),
  );
  const many = (await app.root.get("Statistics.json")).json();
  assert.ok(many.sampled_calls < many.calls);
  assert.equal(many.failures.length, 3);
  assert.equal(sumOf(many.failures, "count"), sumOf(many.periods, "failed"));
});

Deno.test("GET Statistics reads past periods of many calls once in ten minutes, and those that go on each time", async () => {
  using app = await startApp();
  const at = (minutes: number, status: Call["status"]) =>
    Promise.all(Array.from({ length: 300 }, () => keepCall(app, app.root, minutes, { status })));
  await at(0, "completed");
  await at(20, "completed");
  await at(40, "in-progress");
  let lists = 0;
  const { list } = app.ports.records.calls;
  app.ports.records.calls.list = (accountSid, query) => {
    lists++;
    return list(accountSid, query);
  };
  const read = async () => {
    lists = 0;
    const { calls, periods } = (await app.root.get("Statistics.json")).json();
    return { calls, periods, lists };
  };

  const [first, second] = [await read(), await read()];
  assert.equal(first.lists, 31);
  // The whole span, the period of now, that of a minute ago and that of the calls that go on.
  assert.ok(second.lists <= 4, String(second.lists));
  assert.deepEqual([second.calls, second.periods], [first.calls, first.periods]);
  await at(0, "completed");
  const third = await read();
  assert.deepEqual([third.calls, third.periods.at(-1).total], [1_200, 600]);
  app.clock.now += 11 * minuteMs;
  assert.ok((await read()).lists > 25);
});

Deno.test("GET Statistics counts registered Clients, Gateways that are down, and callbacks that wait", async () => {
  using app = await startApp();
  for (const Login of ["alice", "bob"]) {
    await app.root.post("Clients.json", { Login, Password: "secret" });
  }
  const companion = { id: "c", runId: "1" };
  await app.ports.companions.beat({ ...companion, seenAt: app.clock.now });
  const news = { companion, seq: 1, whole: true, registered: 1, came: ["alice"], went: [] };
  assert.ok(await app.ports.companions.takePresence(news));
  await app.root.post("Management/Gateways.json", {
    UserName: "trunk",
    Password: "secret",
    Proxy: "sip.carrier.test",
  });
  const sid = await makeSample(app, app.root, { name: "deliveries" });
  const before = (await app.root.get("Statistics.json")).json();
  assert.deepEqual([before.clients, before.registered_clients, before.gateways_down], [2, 1, 1]);
  assert.equal(before.registrations_unknown_since, null);
  assert.deepEqual([before.queued_deliveries, before.oldest_delivery], [0, null]);
  await app.root.post(`Webhooks/Deliveries/${sid}.json`, { Replay: "true" });
  const after = (await app.root.get("Statistics.json")).json();
  assert.equal(after.queued_deliveries, 1);
  assert.equal(
    after.oldest_delivery,
    (await app.root.get(`Webhooks/Deliveries/${sid}.json`)).json().start_time,
  );
});

Deno.test("GET Statistics has the time since when registrations are unknown, while a companion is lost", async () => {
  using app = await startApp();
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const { companions } = app.ports;
  const read = async () => {
    const found = (await app.root.get("Statistics.json")).json();
    return [found.registered_clients, found.registrations_unknown_since];
  };
  assert.deepEqual(await read(), [null, null]);

  const [one, two] = [{ id: "one", runId: "1" }, { id: "two", runId: "1" }];
  const heardAt = app.clock.now;
  await companions.beat({ ...one, seenAt: heardAt });
  const news = { companion: one, seq: 1, whole: true, registered: 1, came: ["alice"], went: [] };
  assert.ok(await companions.takePresence(news));
  assert.deepEqual(await read(), [1, null]);

  const since = new Date(heardAt).toISOString();
  app.clock.now += 20_000;
  assert.deepEqual(await read(), [null, since]);
  await companions.beat({ ...two, seenAt: app.clock.now });
  assert.deepEqual(await read(), [0, since]);
  await closeLostCompanions(app.ports);
  assert.deepEqual(await read(), [0, null]);
  const lastHeardAt = new Date(app.clock.now).toISOString();
  app.clock.now += 20_000;
  await closeLostCompanions(app.ports);
  assert.deepEqual(await companions.list(), []);
  assert.deepEqual(await read(), [null, lastHeardAt]);
});

Deno.test("calls that fail before an INVITE leaves count in Statistics as in the list and the metrics", async () => {
  using app = await startApp();
  for (let at = 0; at < 5; at++) {
    await app.root.post("Calls.json", {
      From: "me",
      To: at < 3 ? "client:nobody" : "sip:someone@elsewhere.test",
      Url: "https://app.test/voice",
    });
  }
  await app.runJobs();
  const { total, calls: list } = (await app.root.get("Calls.json?Status=failed")).json();
  const { calls, periods, failures } = (await app.root.get("Statistics.json")).json();
  const { Metrics } = (await app.root.get("Supervisor/metrics.json")).json();

  assert.deepEqual([total, list[0].start_time], [5, null]);
  assert.deepEqual([calls, sumOf(periods, "failed")], [5, 5]);
  assert.deepEqual([Metrics.TotalCallsSinceUptime, Metrics.FailedCalls], [5, 5]);
  assert.deepEqual(failures, [{ cause: "unreachable", sip_response_code: null, count: 5 }]);
  const progress = (await app.root.get(`Calls/${list[0].sid}/Progress.json`)).json();
  assert.deepEqual([progress.disconnected_by, progress.disconnect_cause], [
    "service",
    "unreachable",
  ]);
});

Deno.test("DateCreated narrows the list of calls, those without a start included", async () => {
  using app = await startApp();
  const dayMs = 24 * 60 * minuteMs;
  await keepCall(app, app.root, 3 * dayMs / minuteMs, { status: "failed" });
  await keepCall(app, app.root, dayMs / minuteMs, { status: "failed" });
  await keepCall(app, app.root, 0, { status: "completed" });
  const day = (before: number) =>
    new Date(app.clock.now - before * dayMs).toISOString().slice(0, 10);
  const count = async (query: string) => {
    const { status, json } = await app.root.get(`Calls.json?${query}`);
    return status === 200 ? json().total : status;
  };

  assert.equal(await count(`DateCreated=${day(1)}`), 1);
  assert.equal(await count(`DateCreated>=${day(1)}`), 2);
  assert.equal(await count(`DateCreated>=${day(1)}&Status=failed`), 1);
  assert.equal(await count(`DateCreated<=${day(1)}`), 1);
  assert.equal(await count(`DateCreated>=${day(3)}&DateCreated<=${day(0)}&From=%2B15550001`), 2);
  assert.equal(await count(`DateCreated=yesterday`), 400);
  assert.equal(await count(`StartTime>=${day(3)}`), 1);
});
