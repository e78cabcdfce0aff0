import assert from "node:assert/strict";
import { z } from "zod";
import { jobLimits } from "../../../kv/jobs/limits.ts";
import type { Job } from "../../../core/model/job.ts";
import { knownJobs } from "../../../kv/jobs/known_jobs.ts";
import { ownQueue } from "../../../kv/jobs/own_queue.ts";
import { type Claim, stageDone, stageJobs } from "../../../kv/jobs/queue.ts";
import { emptyBatch } from "../../../kv/store/batch.ts";
import { committer } from "../../../kv/store/commit.ts";
import { eventually } from "../../support/process/eventually.ts";
import { startApp } from "../../support/service/app.ts";
import { job } from "../../support/service/job.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import type { KeyValueStore } from "../../../kv/store/key_value_store.ts";

const claim: Claim = {
  now: 10,
  most: 100,
  owner: "me",
  leaseMs: 1_000,
  isBusy: () => false,
  isHeld: () => false,
};
const lane = { name: "lane", dueAt: 0 };
const named = (args: string, dueAt = 0): Job => ({ kind: "test", lane: "lane", args, dueAt });

async function startQueue(kv: KeyValueStore) {
  const known = knownJobs(kv);
  const commits = committer(kv, { checks: 100, followers: [known] });
  const queue = ownQueue({ kv, committer: commits, known });
  await queue.start(0);
  return {
    queue,
    async add(jobs: Job[]) {
      const batch = emptyBatch();
      stageJobs(batch, jobs, { now: () => 0, steadyNow: () => 0 });
      await commits.commit(batch);
    },
    /** Claims jobs, and ends them. */
    async next(wanted: Partial<Claim> = {}): Promise<string[]> {
      const { held } = await queue.claim(lane, { ...claim, ...wanted });
      await Promise.all(held.map((one) => {
        const batch = emptyBatch();
        stageDone(batch, one);
        return commits.commit(batch);
      }));
      return held.map(({ job }) => String(job.args));
    },
  };
}

Deno.test("a lane with more jobs than are in memory has each claimed once, in order", async () => {
  using kv = await openDenoKv(":memory:");
  const { add, next } = await startQueue(kv);
  const count = 2 * jobLimits.knownOfLane + 300;
  const names = Array.from({ length: count }, (_, n) => `job ${n}`);
  for (let n = 0; n < count; n += 300) {
    await add(names.slice(n, n + 300).map((name, at) => named(name, (n + at) / count)));
  }

  const claimed: string[] = [];
  for (let some = await next(); some.length > 0; some = await next()) {
    claimed.push(...some);
    if (claimed.length === 1_000) await add([named("late", 9)]);
  }

  assert.deepEqual(claimed, [...names, "late"]);
});

Deno.test("a lane goes on with jobs that are not in memory while those that are have not ended", async () => {
  using kv = await openDenoKv(":memory:");
  const { add, queue } = await startQueue(kv);
  const count = jobLimits.knownOfLane + 2 * jobLimits.knownOfFullLane + 10;
  for (let n = 0; n < count; n++) await add([named(`job ${n}`, n / count)]);

  const claimed = new Set<string>();
  const dueAt = async () => (await queue.lanes())[0]?.dueAt ?? Infinity;
  while (await dueAt() <= claim.now) {
    const { held } = await queue.claim(lane, claim);
    assert.notEqual(held.length, 0, `after ${claimed.size} of ${count}`);
    for (const { job } of held) claimed.add(String(job.args));
  }

  assert.equal(claimed.size, count);
});

Deno.test("two claims at once hold a job once", async () => {
  using kv = await openDenoKv(":memory:");
  const { add, queue } = await startQueue(kv);
  await add([named("one"), named("two")]);

  const claims = await Promise.all([queue.claim(lane, claim), queue.claim(lane, claim)]);

  const held = claims.flatMap(({ held }) => held.map(({ job }) => String(job.args)));
  assert.deepEqual(held.sort(), ["one", "two"]);
});

Deno.test("jobs that wait in the store are cached by the next process", async () => {
  using kv = await openDenoKv(":memory:");
  await (await startQueue(kv)).add([named("one"), named("two", 1), named("much later", 99)]);

  const second = await startQueue(kv);
  assert.deepEqual(await second.next(), ["one", "two"]);
  assert.deepEqual(await second.next(), []);
  assert.deepEqual(await second.queue.lanes(), [{ name: "lane", dueAt: 99 }]);
});

Deno.test("attempts that killed processes had begun count, also of several in a row", async () => {
  using kv = await openDenoKv(":memory:");
  await (await startQueue(kv)).add([named("kills")]);
  const attempts: number[] = [];
  for (let process = 0; process < 4; process++) {
    const { queue, add } = await startQueue(kv);
    const { held } = await queue.claim(lane, claim);
    attempts.push(...held.map(({ job }) => job.attempt));
    // The first process is killed after another commit, the next ones right after their claim.
    if (process === 0) await add([named("other", 99)]);
  }

  assert.deepEqual(attempts, [1, 2, 3, 4]);
});

Deno.test("jobs that a stopped process gives back are tried as if it had not begun them", async () => {
  using app = await startApp();
  const attempts: number[] = [];
  const begun = Promise.withResolvers<void>();
  const kind = job({
    kind: "test",
    args: z.string(),
    lane: () => "lane",
    maxAttempts: 3,
    retryMs: () => 0,
    work: (_: string, _ports, { attempt, signal }) => {
      attempts.push(attempt);
      if (attempts.length > 1) return Promise.resolve();
      begun.resolve();
      return new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject()));
    },
  });
  const worker = await app.worker([kind]);
  worker.start();
  await app.ports.accounts.update(app.root.sid, (record) => ({ record, jobs: [kind("x")] }));
  await begun.promise;
  await worker.stop(0);
  await app.runJobs([kind]);
  await eventually("it ran again", () => attempts.length === 2);

  assert.deepEqual(attempts, [1, 1]);
});
