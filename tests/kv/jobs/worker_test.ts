import assert from "node:assert/strict";
import { z } from "zod";
import { Fault } from "../../../core/base/faults.ts";
import { exponential } from "../../../core/model/job.ts";
import { job, type TestJob } from "../../support/service/job.ts";
import type { JobRun } from "../../../core/model/ports/job_handler.ts";
import { systemClocks } from "../../../core/machine/process/clocks.ts";
import { limits } from "../../../core/base/limits.ts";
import { notification } from "../../../core/webhooks/notify.ts";
import { type App, startApp } from "../../support/service/app.ts";
import { openStore } from "../../../kv/open_store.ts";

type Work = (text: string, run: JobRun) => Promise<void>;

/** A kind of job whose work is the test's. */
function kindOf(work: Work, lane = (text: string) => text): TestJob<string> {
  return job({
    kind: "test",
    args: z.string(),
    lane,
    maxAttempts: 3,
    retryMs: exponential(1_000, 60_000),
    work: (text, _, run) => work(text, run),
    spent: (text, ports, error) =>
      Promise.resolve([
        notification({
          accountSid: text,
          callSid: null,
          fault: "callbackFailed",
          detail: String(error),
          level: "error",
        }, ports),
      ]),
  });
}

/** Commits jobs with a change of the root account, as a use case does. */
async function commit(app: App, jobs: ReturnType<TestJob<string>>[]): Promise<void> {
  await app.ports.accounts.update(app.root.sid, (account) => ({ record: account, jobs }));
}

Deno.test("a job that fails is tried again when its back-off is over, then buried with a Notification", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const attempts: number[] = [];
  const failing = kindOf((_, { attempt }) => {
    attempts.push(attempt);
    return Promise.reject(new Error("no luck"));
  });
  await commit(app, [failing(app.root.sid)]);

  await app.runJobs([failing]);
  await app.runJobs([failing]);
  assert.deepEqual(attempts, [1], "not before its time");
  for (const minutes of [1, 2, 3]) {
    app.clock.now += minutes * 60_000;
    await app.runJobs([failing]);
  }
  assert.deepEqual(attempts, [1, 2, 3]);
  const { items } = await app.ports.records.notifications.list(app.root.sid, {
    where: [],
    skip: 0,
    limit: 10,
  });
  assert.deepEqual(items.map(({ errorCode, messageText }) => [errorCode, messageText]), [
    [11200, "Cannot deliver a status callback: Error: no luck"],
  ]);
});

Deno.test("a job whose arguments can never work is not tried again", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  let runs = 0;
  const hopeless = kindOf(() => {
    runs++;
    throw new Fault("badUrl", "it is private");
  });
  await commit(app, [hopeless(app.root.sid)]);
  await app.runJobs([hopeless]);
  app.clock.now += 3_600_000;
  await app.runJobs([hopeless]);
  assert.equal(runs, 1);
});

Deno.test("a lane that hangs holds up no other lane, and has its own bound", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const release = Promise.withResolvers<void>();
  let slow = 0;
  const full = Promise.withResolvers<void>();
  const quick = Promise.withResolvers<void>();
  const kind = kindOf((text) => {
    if (text === "z quick") return quick.resolve(), Promise.resolve();
    if (++slow === limits.jobsPerLane) full.resolve();
    return release.promise;
  });
  await commit(app, [...Array.from({ length: 40 }, () => kind("slow")), kind("z quick")]);

  const running = app.runJobs([kind]);
  await Promise.all([full.promise, quick.promise]);
  assert.equal(slow, limits.jobsPerLane);
  release.resolve();
  await running;
  assert.equal(slow, 40);
});

Deno.test("servers that hang use no share of the lanes of the service itself", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const release = Promise.withResolvers<void>();
  const own = Promise.withResolvers<void>();
  let hanging = 0;
  const kind = kindOf((text) => {
    if (text === "own") return own.resolve(), Promise.resolve();
    hanging++;
    return release.promise;
  }, (text) => text);
  const lanes = 1 + limits.jobsOutside / limits.jobsPerLane;
  const jobs = Array.from(
    { length: lanes * limits.jobsPerLane },
    (_, number) => kind(`host:${number % lanes}`),
  );
  await commit(app, [...jobs, kind("own")]);
  const running = app.runJobs([kind]);
  await own.promise;
  assert.ok(hanging <= limits.jobsOutside);
  release.resolve();
  await running;
  assert.equal(hanging, jobs.length);
});

Deno.test("a job is committed with its cause, or not at all", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const kind = kindOf(() => Promise.resolve());
  const taken = { emailAddress: "root@example.com", password: "x" };
  const before = await app.ports.accounts.get(app.root.sid);
  await assert.rejects(
    app.ports.accounts.insert({
      record: { ...before!, sid: "AC" + "f".repeat(32), emailAddress: taken.emailAddress },
      jobs: [kind("never")],
    }),
    /a value that must be unique is in use/,
  );
  let runs = 0;
  await app.runJobs([kindOf(() => (runs++, Promise.resolve()))]);
  assert.equal(runs, 0);
});

Deno.test("stop() waits for the jobs under way, then takes their signal away and gives them back", async () => {
  const store = await openStore({ location: ":memory:", secretKey: "x", ...systemClocks });
  using app = await startApp({ madeUpWebhooks: true });
  const ports = { ...app.ports, ...systemClocks, accounts: store.accounts };
  const begun = Promise.withResolvers<void>();
  const attempts: number[] = [];
  const kind = kindOf((_, { signal, attempt }) => {
    attempts.push(attempt);
    if (attempts.length > 1) return Promise.resolve();
    begun.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason))
    );
  });
  const account = await app.ports.accounts.get(app.root.sid);
  await store.accounts.insert({ record: account!, jobs: [kind("x")] });
  const worker = await store.worker([kind], ports);
  worker.start();
  await begun.promise;
  await worker.stop(10);

  await (await store.worker([kind], ports)).drain();
  assert.deepEqual(attempts, [1, 1], "the attempt that was taken away does not count");
  store.close();
});
