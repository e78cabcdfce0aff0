/**
 * Claims of an embedded file. A job was a commit for itself three times: made with its cause, claimed,
 * ended; an answered call with four callbacks made 18 commits and 48 reads, most of them for its five jobs.
 * Jobs in memory alone would be lost with a crash; claims that are never written would try a job that kills
 * the process for ever. So the jobs stay in the store, the one process that writes to it follows its own
 * commits, and one entry notes which jobs are at work and their attempts: with the next commit, or within
 * 50 ms. A start after a kill counts those, and for ten minutes begins jobs only when their claim is
 * written. A job that kills its process within 50 ms, before any commit, has one attempt more.
 */
import { jobLimits } from "./limits.ts";
import { emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { KnownJobs } from "./known_jobs.ts";
import type { KnownJob } from "./known_lanes.ts";
import {
  chooser,
  type Claim,
  type Claimed,
  type HeldJob,
  type Queue,
  release,
  spentAtOnce,
  type StoredJob,
  waitingAtOnce,
} from "./queue.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

interface OwnStore {
  kv: KeyValueStore;
  committer: Committer;
  known: KnownJobs;
}

/**
 * The queue of a store that only this process uses: its jobs are cached, and a claim is a note in
 * memory. The next commit, or one within moments, writes the jobs under way and their attempts, so
 * that attempts interrupted by a kill count. After such an end claims wait for that commit for a
 * while. A job that kills the process thus ends like another that fails.
 */
export function ownQueue({ kv, committer, known }: OwnStore): Queue {
  let carefulUntil = 0;
  let noting: Promise<unknown> | undefined;
  /** Has the next commit note what is taken; one that waits notes what is taken until it begins. */
  const note = () =>
    noting ??= committer.later(() => {
      noting = undefined;
      return Promise.resolve(emptyBatch());
    });
  /** The same, and by a later commit if that is too soon after the note before. */
  const noteSoon = () => {
    note().then(() => known.isBehind() && noteSoon(), () => {}); // The jobs are performed all the same.
  };
  return {
    lanes: () => Promise.resolve(known.lanes()),
    async claim(lane, claim): Promise<Claimed> {
      const { now, most, leaseMs, isSpent } = claim;
      const looksAt = isSpent === undefined ? most + waitingAtOnce : spentAtOnce;
      const jobs = await known.first(lane.name, looksAt);
      const { offer, choice } = chooser<KnownJob>(claim);
      for (const job of jobs) if (!offer(job)) break;
      const { due, next } = choice;
      if (due.length === 0) return { held: [], next: Math.min(next, now + leaseMs) };
      const held = due.map((job) => take(known, job, claim));
      if (now < carefulUntil) {
        known.hurry();
        const noted = note();
        committer.flush();
        await noted;
      } else if (noting === undefined) noteSoon();
      return { held, next: Math.min(next, now + leaseMs) };
    },
    renew: (held, until) => {
      known.extend(held.key, until);
      return Promise.resolve(held);
    },
    find: () => Promise.resolve(null), // Renewals are in memory.
    lost: ({ key }) => known.forget(key),
    async start(now) {
      if (await known.load()) carefulUntil = now + jobLimits.carefulClaimsMs;
      // A former version has written claims to the jobs.
      for await (const entry of kv.list<StoredJob>({ prefix: keys.jobs })) {
        if (entry.value.owner !== null) await release(committer, entry, now);
      }
    },
  };
}

function take(known: KnownJobs, job: KnownJob, { now, leaseMs, owner }: Claim): HeldJob {
  known.take(job, now + leaseMs);
  const { key, value, versionstamp } = job;
  return { job: { ...value, attempt: value.attempt + 1, owner }, key, versionstamp };
}
