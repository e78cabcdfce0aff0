import assert from "node:assert/strict";
import { z } from "zod";
import { outside, withinShare } from "../../core/base/loop_work.ts";
import { nextTurn } from "../../core/base/turns.ts";
import {
  expireMessage,
  forgetClients,
  hangUp,
  releaseMessage,
  storeAudio,
} from "../../core/model/job_kinds.ts";
import { newBase } from "../../core/model/resource.ts";
import { emailRecords } from "../../core/model/resources/emails.ts";
import { eventText } from "../../routes/events/event_records.ts";
import type { LoopWork } from "../../core/base/loop_work.ts";
import type { SentReport } from "../../core/protocol/companion.ts";
import { createReports } from "../../core/reports/take_reports.ts";
import { createLoopShares } from "../../core/model/rest/loop_shares.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { openEvents } from "../support/service/event_reader.ts";
import { companion, companionOf, xml } from "../support/service/hand_companion.ts";
import { job } from "../support/service/job.ts";
import type { StoredJob } from "../../kv/jobs/queue.ts";
import { keys } from "../../kv/store/keys.ts";

/** Keeps the loop for so many ms. */
function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** A tenant with sub-accounts, and another one. */
async function twoTenants(app: App): Promise<[ApiClient[], ApiClient]> {
  const flooder = await app.subAccount(app.root, "flooder");
  const subs = await Promise.all([1, 2, 3].map((n) => app.subAccount(flooder, `sub${n}`)));
  return [[flooder, ...subs], await app.subAccount(app.root, "other")];
}

/** Jobs that take the loop in pieces; `pieces` counts those of each account. */
function dearJobs() {
  const pieces = new Map<string, number>();
  const ended: string[] = [];
  const kind = job<{ accountSid: string; n: number }>({
    kind: "test",
    args: z.object({ accountSid: z.string(), n: z.number() }),
    lane: ({ accountSid }) => `test:${accountSid}`,
    maxAttempts: 1,
    retryMs: () => 1_000,
    async work({ accountSid }) {
      for (let piece = 0; piece < 3; piece++) {
        spin(4);
        pieces.set(accountSid, (pieces.get(accountSid) ?? 0) + 1);
        await nextTurn();
      }
      ended.push(accountSid);
    },
  });
  const commit = (app: App, wanted: string[]) =>
    app.ports.accounts.update(app.root.sid, (record) => ({
      record,
      jobs: wanted.map((accountSid, n) => kind({ accountSid, n })),
    }));
  return { kind, pieces, ended, commit };
}

Deno.test("a flood of a tenant's jobs leaves another's jobs and requests at their pace", async () => {
  using app = await startApp();
  const [accounts, other] = await twoTenants(app);
  const { kind, pieces, ended, commit } = dearJobs();
  const sids = accounts.map(({ sid }) => sid);
  const countPieces = () => sids.reduce((sum, sid) => sum + (pieces.get(sid) ?? 0), 0);
  await commit(app, [...sids, other.sid]);
  await app.runJobs([kind]); // Their cost is measured by then.
  const before = countPieces();

  const flood = Array.from({ length: 60 }, (_, n) => sids[n % sids.length]!);
  await commit(app, [...flood, other.sid, other.sid]);
  const running = app.runJobs([kind]);
  const count = ended.length;
  while (ended.length === count) await nextTurn();
  assert.equal((await other.get("Calls.json")).status, 200);
  const atRequest = countPieces() - before;
  while (ended.filter((sid) => sid === other.sid).length < 3) await nextTurn();
  const atJobs = countPieces() - before;
  await running;

  assert.equal(countPieces() - before, 180);
  assert.ok(atRequest < 60, `${atRequest} of 180 pieces came before another's request`);
  assert.ok(atJobs < 60, `${atJobs} of 180 pieces came before another's jobs`);
});

const attributes = Array.from({ length: 1_990 }, (_, n) => `a${n}="${"x".repeat(20)}"`).join(" ");

/** An outbound call that rings, and the report of its answer. */
async function ringing(app: App, client: ApiClient): Promise<SentReport> {
  const login = `phone-${client.sid}`;
  await client.post("Clients.json", { Login: login, Password: "a long secret" });
  const form = { From: "+15550001", To: `client:${login}`, Url: "https://app.test/voice" };
  const { sid } = (await client.post("Calls.json", form)).json();
  await app.runJobs();
  const leg = companionOf(app, sid, client.sid);
  await leg.report({ type: "inviting", from: "+15550001", to: `client:${login}`, sipCallId: sid });
  const at = app.clock.now;
  const known = { companion, leg: sid, accountSid: client.sid, at };
  return { ...known, seq: 1, event: { type: "answered" }, wantsScript: true };
}

Deno.test("a flood of reports of a tenant's calls leaves another's call at its pace", async () => {
  using app = await startApp();
  const [accounts, other] = await twoTenants(app);
  app.answers = () => xml(`<Say ${attributes}>x</Say>`);
  const ask = (reports: SentReport[], tell: (at: number) => void) =>
    createReports(app.ports).scripts(
      reports,
      new AbortController().signal,
      ({ at, outcome, script }) => {
        assert.equal(outcome, "taken");
        assert.equal(script[0]?.type, "say", JSON.stringify(script).slice(0, 300));
        tell(at);
      },
    );
  const floods: SentReport[] = [];
  for (let n = 0; n < 40; n++) floods.push(await ringing(app, accounts[n % accounts.length]!));
  const [first, second] = [await ringing(app, other), await ringing(app, other)];
  await ask([...floods.splice(0, 4), first], () => {}); // Their cost is measured by then.

  const told: number[] = [];
  await ask([...floods, second], (at) => told.push(at));
  const place = told.indexOf(floods.length);
  assert.equal(told.length, floods.length + 1);
  assert.ok(place < 15, `${place} of ${floods.length} came first`);
});

Deno.test("jobs, reports, recorded audio and event streams take their tenant's share", async () => {
  const asked: LoopWork[] = [];
  const loop = {
    enter(asking: LoopWork) {
      asked.push(asking);
      return () => {};
    },
  };
  using app = await startApp({ ports: { loop } });
  const tenant = await app.subAccount(app.root, "tenant");
  const sub = await app.subAccount(tenant, "sub");
  app.answers = () => xml("<Hangup/>");
  const events = await openEvents(app, sub, { query: "?Type=call" });
  const report = await ringing(app, sub);
  assert.equal((await events.data()).change, "created");
  await createReports(app.ports).scripts([report], new AbortController().signal, () => {});
  await createReports(app.ports).events(
    [{ ...report, seq: 2, event: { type: "ended", outcome: "completed" }, wantsScript: false }],
    new AbortController().signal,
  );
  await app.runJobs();
  await events.close();

  const kinds = new Set(asked.filter(({ isPatient }) => isPatient).map(({ kind }) => kind));
  for (const kind of ["event stream", "job call.dial", "report answered", "report ended"]) {
    assert.ok(kinds.has(kind), `${kind} is not among ${[...kinds].join(", ")}`);
  }
  for (const one of asked) {
    if (one.isPatient) assert.equal(one.tenant, tenant.sid, one.kind);
  }
});

Deno.test("streams of an account share the text of an event", async () => {
  using app = await startApp();
  let reads = 0;
  const record = {
    ...newBase(emailRecords, app.root.sid, app.ports),
    get from() {
      reads++;
      return "one";
    },
  };
  const change = { id: "1", type: "email", change: "created", sid: record.sid, record, bytes: 1 };
  const textOf = eventText(app.ports);
  const texts = [await textOf(change as never), await textOf(change as never)];
  assert.equal(texts[0], texts[1]);
  assert.equal(reads, 1);
  assert.equal(JSON.parse(texts[0]!).record.from, "one");
});

Deno.test("work that waits for others holds no share, and nested work takes none", async () => {
  let [held, most, asked] = [0, 0, 0];
  const shares = {
    enter() {
      asked++;
      most = Math.max(most, ++held);
      return Promise.resolve(() => void held--);
    },
  };
  const asking = { tenant: "one", kind: "test" };
  const others = Promise.withResolvers<void>();
  const work = withinShare(shares, asking, async () => {
    assert.equal(await withinShare(shares, asking, () => held), 1);
    const both = await Promise.all([
      outside(async () => (await others.promise, held)),
      outside(async () => (await others.promise, held)),
    ]);
    assert.equal(held, 1);
    return both;
  });
  await nextTurn();
  assert.equal(held, 0);
  others.resolve();
  assert.deepEqual(await work, [0, 0]);
  assert.deepEqual([held, most, asked], [0, 1, 2]);
});

Deno.test("work that began and was left holds no share when it goes on", async () => {
  let held = 0;
  const shares = { enter: () => (held++, () => void held--) };
  const others = Promise.withResolvers<void>();
  let left = Promise.resolve();
  await withinShare(shares, { tenant: "one", kind: "test" }, async () => {
    left = outside(() => others.promise);
    await nextTurn();
  });
  others.resolve();
  await left;
  assert.equal(held, 0);
});

Deno.test("reports of calls come before other work of their tenant, and nothing patient is refused", async () => {
  const shares = createLoopShares();
  const order: string[] = [];
  const spun = (name: string) => (spin(15), void order.push(name));
  await withinShare(shares, { tenant: "other", kind: "b" }, () => spin(1));
  for (let n = 0; n < 3; n++) {
    await withinShare(shares, { tenant: "one", kind: "a" }, () => spin(15));
  }
  const all = Array.from(
    { length: 700 },
    (_, n) =>
      withinShare(shares, { tenant: "one", kind: n === 0 ? "a" : "c" }, async () => {
        if (n < 3) spun(`job ${n}`);
        await nextTurn();
      }),
  );
  const report = withinShare(shares, { tenant: "one", kind: "report", isOfCall: true }, () => {
    order.push("report");
  });
  await Promise.all([...all, report]);
  assert.ok(order.indexOf("report") < order.indexOf("job 2"), order.join(", "));
});

Deno.test("jobs that wait for days have few lanes, and others a lane for each account", () => {
  const sids = Array.from({ length: 1_000 }, (_, n) => `AC${n.toString(16).padStart(32, "0")}`);
  const lanesOf = (make: (accountSid: string) => { lane: string }) =>
    new Set(sids.map((accountSid) => make(accountSid).lane)).size;
  const text = (accountSid: string) => ({ accountSid, messageSid: "SM1" });
  assert.equal(lanesOf((sid) => releaseMessage(text(sid))), 64);
  assert.equal(lanesOf((sid) => expireMessage(text(sid))), 64);
  assert.equal(lanesOf((accountSid) => hangUp({ accountSid, callSid: "CA1" })), 1_000);
  assert.equal(lanesOf((accountSid) => forgetClients({ accountSid, logins: [] })), 1_000);
  assert.equal(lanesOf((accountSid) => storeAudio({ accountSid, recordingSid: "RE1" })), 1_000);
});

Deno.test("a flood of scheduled texts and awaited receipts of a tenant is in one lane of 64", async () => {
  const location = await Deno.makeTempFile({ suffix: ".db" });
  try {
    using app = await startApp({ shared: { location, instance: 1 } });
    app.ports.messageRoutes.push({
      reaches: () => Promise.resolve(true),
      send: ({ sid }) => Promise.resolve({ carrierId: `carrier-${sid}` }),
    });
    const flooder = await app.subAccount(app.root, "flooder");
    const text = { From: "+15550001", To: "+4930123456", Body: "hello", ValidityPeriod: "60" };
    for (let n = 0; n < 10; n++) {
      const sub = await app.subAccount(flooder, `sub${n}`);
      const SendAt = new Date(app.clock.now + 3_600_000).toISOString();
      for (const form of [text, { ...text, SendAt }]) {
        const made = await sub.post("SMS/Messages.json", form);
        assert.equal(made.status, 200, made.text);
      }
    }
    await app.runJobs();
    const lanes = new Map<string, number>();
    using kv = await Deno.openKv(location);
    for await (const { value } of kv.list<StoredJob>({ prefix: keys.jobs })) {
      lanes.set(value.lane, (lanes.get(value.lane) ?? 0) + 1);
    }
    const few = parseInt(flooder.sid.slice(-2), 16) % 64;
    assert.equal(lanes.get(`receipts/${few}`), 10);
    assert.equal(lanes.get(`scheduled/${few}`), 30, "10 releases, and 20 ends of a validity");
    const others = [...lanes.keys()].filter((lane) => /^(receipts|scheduled)/.test(lane));
    assert.equal(others.length, 2, others.join());
  } finally {
    await Deno.remove(location);
  }
});
