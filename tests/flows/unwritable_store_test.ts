import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import type { Heartbeat } from "../../core/protocol/companion.ts";
import { handlers } from "../../core/jobs/mod.ts";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { createReports } from "../../core/reports/take_reports.ts";
import { watchStore } from "../../core/machine/start/watch_store.ts";
import { storeWritable } from "../../core/metrics/service_metrics.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { type App, startApp } from "../support/service/app.ts";
import { eventually } from "../support/process/eventually.ts";
import { failingWrites, untilUnwritable } from "../support/service/failing_store.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { companion, companionOf, made, xml } from "../support/service/hand_companion.ts";

/** Errors of SQLite and of the client of a KV server for a store that cannot write. */
const errors = {
  full: "database or disk is full",
  readonly: "attempt to write a readonly database",
  io: "disk I/O error",
  other: "something of a later version",
};

/** An effect outside that each test waits for, and then has the store fail in the middle of. */
interface Outside {
  /** Number of runs. */
  done: number;
  /** Resolves when it is done for the first time; it ends at `release`. */
  begun: Promise<void>;
  release(): void;
  act(): Promise<void>;
}

function outside(): Outside {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const effect = {
    done: 0,
    begun: begun.promise,
    release: () => released.resolve(),
    async act() {
      effect.done++;
      begun.resolve();
      await released.promise;
    },
  };
  return effect;
}

const first = { where: [], skip: 0, limit: 1 };

/** Effects outside, by the job that performs them. */
const effects: Record<string, {
  ports(effect: Outside, app: () => App): Partial<Ports>;
  order(app: App): Promise<unknown>;
  settled(app: App): Promise<boolean>;
}> = {
  "a text": {
    ports: (effect) => ({
      messageRoutes: [{
        reaches: () => Promise.resolve(true),
        async send() {
          await effect.act();
          return {};
        },
      }],
    }),
    order: (app) =>
      made(app.root, "SMS/Messages", { From: "+14155550101", To: "+442079460000", Body: "hello" }),
    settled: async (app) =>
      (await app.root.get("SMS/Messages.json")).json().messages[0].status === "sent",
  },
  "an e-mail": {
    ports: (effect) => ({
      mailer: {
        async send() {
          await effect.act();
          return [];
        },
      },
    }),
    order: (app) =>
      app.root.post("Email/Messages", {
        From: "me@example.com",
        To: "you@example.com",
        Subject: "Hi",
        Body: "hello",
      }),
    settled: async ({ ports, root }) =>
      (await ports.records.emails.list(root.sid, first)).items[0]?.status === "sent",
  },
  "a look-up": {
    ports: (effect) => ({
      locationSource: {
        async lookUp() {
          await effect.act();
          return "vlrNumber=59800423432,mcc=748,lac=10100,mnc=01,aol=3,cellid=20042";
        },
      },
    }),
    order: (app) =>
      app.root.post("Geolocation/Immediate.json", {
        DeviceIdentifier: "+59899077937",
        StatusCallback: "https://app.test/geo",
      }),
    settled: async ({ ports, root }) => {
      const { items: [one] } = await ports.records.geolocations.list(root.sid, first);
      return one?.responseStatus === "successful";
    },
  },
  "a callback": {
    ports: (effect, app) => ({
      async fetch() {
        await effect.act();
        const { answerOf } = await import("../../core/base/outgoing.ts");
        return answerOf(app().answers(new Request("https://app.test/")));
      },
    }),
    async order(app) {
      await made(app.root, "SMS/Messages", {
        From: "+14155550101",
        To: "+442079460000",
        Body: "hello",
        StatusCallback: "https://app.test/sms",
      });
    },
    settled: async (app) => {
      const { deliveries } = (await app.root.get("Webhooks/Deliveries.json")).json();
      return deliveries[0]?.status === "delivered";
    },
  },
  "an order to dial": {
    ports: (effect, app) => ({
      control: {
        ...app().ports.control,
        async run(_leg, [step]) {
          if (step?.type === "invite") await effect.act();
          return companion;
        },
      },
    }),
    order: (app) =>
      made(app.root, "Calls", { From: "+15550001", To: "client:alice", Url: "https://app.test/" }),
    settled: async ({ ports, root }) =>
      (await ports.records.calls.list(root.sid, first)).items[0]?.companion !== null,
  },
};

/** Each effect on a full disk, and one with each other error. */
const cases = [
  ...Object.keys(effects).map((name) => [name, "full"] as const),
  ...Object.keys(errors).slice(1).map((kind) => ["a text", kind as keyof typeof errors] as const),
];

for (const [name, kind] of cases) {
  Deno.test(`${name} that goes out while the store becomes ${kind} goes out once`, async () => {
    const { ports, order, settled } = effects[name]!;
    const effect = outside();
    using app = await startApp();
    Object.assign(app.ports, ports(effect, () => app));
    using failing = failingWrites();
    await made(app.root, "Clients", { Login: "alice", Password: "a password" });
    const worker = await app.worker(handlers);
    worker.start();
    await order(app);
    await effect.begun;
    failing.error = errors[kind];
    effect.release();
    await untilUnwritable(app, true);
    const before = failing.refused;
    for (let looks = 0; looks < 20; looks++) {
      worker.poke();
      app.clock.now += 3_000;
      await new Promise((turn) => setTimeout(turn));
    }
    await eventually("a probe fails", () => failing.refused > before);
    assert.equal(effect.done, 1, "while the store cannot write");
    failing.error = null;
    await untilUnwritable(app, false);
    await eventually("it is settled", () => settled(app));
    app.clock.now += 600_000;
    await worker.stop(1_000);
    await app.runJobs();
    assert.equal(effect.done, 1, "once the store is well");
  });
}

for (const name of Object.keys(effects)) {
  Deno.test(`${name} that goes out while the server of the store stands goes out once`, async () => {
    const { ports, order, settled } = effects[name]!;
    const effect = outside();
    await using endpoint = startKvConnect();
    using app = await startApp({ shared: { location: endpoint.url, instance: 0 } });
    Object.assign(app.ports, ports(effect, () => app));
    await made(app.root, "Clients", { Login: "alice", Password: "a password" });
    const worker = await app.worker(handlers);
    worker.start();
    await order(app);
    await effect.begun;
    const { goOn } = endpoint.stand();
    effect.release();
    await untilUnwritable(app, true); // A commit, or a read, has had no answer in its time.
    goOn();
    await untilUnwritable(app, false);
    // A shared store has to be well for a while.
    await eventually("it is settled", async () => {
      app.clock.now += 1_000;
      worker.poke();
      return await settled(app);
    });
    app.clock.now += 600_000;
    await worker.stop(1_000);
    await app.runJobs();
    assert.equal(effect.done, 1);
  });
}

Deno.test("a callback that fails meanwhile keeps its attempt and its due time", async () => {
  using app = await startApp();
  using failing = failingWrites();
  const asked = Promise.withResolvers<void>();
  app.answers = () => {
    failing.error = errors.full;
    asked.resolve();
    return new Response(null, { status: 500 });
  };
  const text = { From: "+14155550101", To: "+442079460000", Body: "hello" };
  await made(app.root, "SMS/Messages", { ...text, StatusCallback: "https://app.test/sms" });
  const failedAt = app.clock.now;
  const running = app.runJobs();
  await asked.promise;
  await untilUnwritable(app, true);
  app.clock.now += 2_000;
  failing.error = null;
  await running;
  await app.runJobs();
  assert.equal(app.fetched.length, 1, "before the back-off of 5 s is over");
  app.answers = () => new Response();
  app.clock.now = failedAt + 7_000;
  await app.runJobs();
  const [delivery] = (await app.root.get("Webhooks/Deliveries.json")).json().deliveries;
  assert.deepEqual([app.fetched.length, delivery.status, delivery.attempts.length], [
    2,
    "delivered",
    2,
  ]);
});

Deno.test("requests that write get 503, others go on, and the operator is notified", async () => {
  using app = await startApp();
  using failing = failingWrites();
  const told = watchStore(app.ports);
  const ready = async () => {
    const answer = await app.http.request("/ready");
    return [answer.status, (await answer.json()).store];
  };
  const client = { Login: "alice", Password: "a password" };
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  assert.deepEqual(await ready(), [200, "ok"]);
  failing.error = errors.full;
  const refused = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    refused.push(await app.root.post("Clients.json", client));
  }

  for (const { status, headers, json } of refused) {
    assert.deepEqual([status, headers.get("retry-after")], [503, "5"]);
    assert.equal(json().code, 20503);
    assert.match(json().message, /the store cannot write: its disk is full/);
  }
  assert.equal((await app.root.get("Clients.json")).status, 200);
  assert.deepEqual(await ready(), [503, "unwritable"]);
  const { failure, date_failed } = (await app.root.get("Supervisor.json/store")).json();
  assert.match(failure, /its disk is full/);
  assert.equal(Date.parse(date_failed), app.clock.now);
  assert.equal((await storeWritable.get()).values[0]!.value, 0);

  failing.error = null;
  await untilUnwritable(app, false);
  assert.deepEqual(await ready(), [200, "ok"]);
  assert.equal((await app.root.post("Clients.json", client)).status, 200);
  assert.equal((await storeWritable.get()).values[0]!.value, 1);
  await told.told();
  const { notifications } = (await app.root.get("Notifications.json")).json();
  assert.deepEqual(
    notifications.map((one: { error_code: number; log: number }) => [one.error_code, one.log]),
    [[20506, 0]],
  );
});

Deno.test("/ready names a store that fails while nothing else is written", async () => {
  using app = await startApp();
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  using _ = failingWrites(errors.io);
  const answers = async () => {
    const answer = await app.http.request("/ready");
    return [answer.status, (await answer.json()).store];
  };
  // The root account was written a moment ago: that proves the store for a second.
  await eventually("it is not ready", async () => (await answers())[0] !== 200);
  assert.deepEqual(await answers(), [503, "unwritable"]);
});

Deno.test("the store is healthy again once it takes more than its log can hold", async () => {
  using app = await startApp();
  using failing = failingWrites(errors.full);
  await app.root.post("Clients", { Login: "alice", Password: "a password" });
  const before = failing.refused;
  failing.fails = (value) => value instanceof Uint8Array;
  await eventually("the large probe fails twice", () => failing.refused >= before + 2);
  assert.notEqual(app.ports.store.failure(), null);
  failing.error = null;
  await untilUnwritable(app, false);
});

Deno.test("a commit that is wrong by itself says nothing of the store", async () => {
  using app = await startApp();
  const { AtomicOperation } = Deno;
  const { commit } = AtomicOperation.prototype;
  AtomicOperation.prototype.commit = () => Promise.reject(new TypeError("Value too large"));
  const answer = await app.root.post("Clients.json", { Login: "alice", Password: "a password" });
  AtomicOperation.prototype.commit = commit;
  assert.deepEqual([answer.status, answer.json().code], [500, 20500]);
  assert.equal(app.ports.store.failure(), null);
});

Deno.test("reports wait at the companion, and an application is requested once", async () => {
  using app = await startApp();
  using failing = failingWrites();
  app.answers = () => xml("<Echo/>");
  await made(app.root, "Clients", { Login: "alice", Password: "a password" });
  const call = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", call);
  await app.runJobs();
  const leg = companionOf(app, sid);
  const from = { type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" } as const;
  await leg.report(from);
  const reports = createReports(app.ports);
  const answered = {
    companion,
    leg: sid,
    accountSid: app.root.sid,
    seq: 1,
    at: app.clock.now,
    wantsScript: true,
    event: { type: "answered" },
  } as const;
  const { signal } = new AbortController();
  const outcomes: string[] = [];
  const tell = ({ outcome }: { outcome: string }) => void outcomes.push(outcome);
  failing.error = errors.full;
  await reports.scripts([answered], signal, tell);
  await reports.scripts([answered], signal, tell);
  const during = app.fetched.length;
  const told = await reports.events([{ ...answered, wantsScript: false }], signal);
  failing.error = null;
  await untilUnwritable(app, false);
  await reports.scripts([answered], signal, tell);
  assert.deepEqual([outcomes, told], [["outage", "outage", "taken"], ["outage"]]);
  assert.deepEqual([during, app.fetched.length], [0, 1]);
});

Deno.test("a report that was stored requests no application while the store cannot write", async () => {
  using app = await startApp();
  using failing = failingWrites();
  app.answers = () => xml("<Echo/>");
  await made(app.root, "Clients", { Login: "alice", Password: "a password" });
  const call = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", call);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
  await leg.report({ type: "answered" });
  failing.error = errors.full;
  await app.root.post("Clients", { Login: "bob", Password: "a password" });
  for (let attempt = 0; attempt < 5; attempt++) {
    await assert.rejects(leg.repeat(), /the store cannot write/);
  }
  assert.equal(app.fetched.length, 1);
});

Deno.test("a service that could not write ends no calls of companions that beat", async () => {
  using app = await startApp();
  using failing = failingWrites();
  await made(app.root, "Clients", { Login: "alice", Password: "a password" });
  const beat: Heartbeat = { companion, legs: [], registered: 0 };
  await takeHeartbeat(beat, app.ports);
  const call = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", call);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
  await leg.report({ type: "answered" });
  const status = async () => (await app.root.get(`Calls/${sid}.json`)).json().status;
  const legs = [{ leg: sid, accountSid: app.root.sid }];

  failing.error = errors.full;
  await assert.rejects(takeHeartbeat({ ...beat, legs }, app.ports), /the store cannot write/);
  app.clock.now += 2 * limits.companionLostMs;
  await closeLostCompanions(app.ports);
  failing.error = null;
  await untilUnwritable(app, false);
  await closeLostCompanions(app.ports);
  assert.equal(await status(), "in-progress", "right after the failure");
  await takeHeartbeat({ ...beat, legs }, app.ports);
  app.clock.now += limits.companionLostMs;
  await closeLostCompanions(app.ports);
  assert.equal(await status(), "in-progress", "after a heartbeat");
  app.clock.now += 1;
  await closeLostCompanions(app.ports);
  assert.equal(await status(), "completed", "a companion that is silent since is lost");
});
