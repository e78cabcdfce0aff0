import { type Clocks, wallFrom } from "../../core/base/steady_clock.ts";
import { limits } from "../../core/base/limits.ts";
import type {
  DeadJob,
  JobCounts,
  JobOverview,
  JobQueue,
} from "../../core/model/ports/job_queue.ts";
import { emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import { stageJobs, stageMoved, type StoredJob } from "./queue.ts";
import type { KeyValueStore, KvEntry } from "../store/key_value_store.ts";

/** A job whose attempts are spent, with the error of the last one. */
interface StoredDead extends StoredJob {
  error: string;
}

/**
 * The queue as its operator sees it: counts of waiting and dead jobs, and another try of dead ones.
 */
export function jobQueue(kv: KeyValueStore, committer: Committer, clocks: Clocks): JobQueue {
  return {
    overview: () => overview(kv, clocks),
    async dead(id) {
      const entry = await findDead(kv, id);
      return entry && { kind: entry.value.kind, args: entry.value.args };
    },
    async dueAt(lane, id) {
      const entry = await findWaiting(kv, { lane, id });
      return entry && wallFrom(Number(entry.key[3]), clocks);
    },
    async hurry(lane, id) {
      const entry = await findWaiting(kv, { lane, id });
      const now = clocks.steadyNow();
      if (entry === null || Number(entry.key[3]) <= now) return false;
      const batch = emptyBatch();
      stageMoved(batch, entry, now);
      return await committer.commit(batch) !== null;
    },
    retry: (id) => endDead({ kv, committer }, id, clocks),
    discard: (id) => endDead({ kv, committer }, id, null),
  };
}

async function overview(kv: KeyValueStore, clocks: Clocks): Promise<JobOverview> {
  const kinds = new Map<string, JobCounts>();
  const countsOf = (kind: string): JobCounts => {
    const counts = kinds.get(kind) ??
      { kind, waiting: 0, due: 0, leased: 0, dead: 0, oldestDue: null };
    kinds.set(kind, counts);
    return counts;
  };
  const now = clocks.steadyNow();
  let left = limits.countedJobs;
  const options = { batchSize: 500 };
  for await (const { key, value } of kv.list<StoredJob>({ prefix: keys.jobs }, options)) {
    if (left-- === 0) break;
    const counts = countsOf(value.kind);
    const dueAt = Number(key[3]);
    if (value.owner !== null) counts.leased++;
    else if (dueAt > now) counts.waiting++;
    else {
      counts.due++;
      counts.oldestDue = Math.min(counts.oldestDue ?? Infinity, wallFrom(dueAt, clocks));
    }
  }
  const dead: DeadJob[] = [];
  for await (const { value } of kv.list<StoredDead>({ prefix: keys.deadJobs }, options)) {
    if (left-- <= 0) break;
    countsOf(value.kind).dead++;
    const { id, kind, lane, attempt, madeAt, error } = value;
    if (dead.length < limits.listedDeadJobs) {
      dead.push({ id, kind, lane, attempts: attempt, madeAt, error });
    }
  }
  return { kinds: [...kinds.values()], dead, isWhole: left >= 0 };
}

/** The entry of a job that waits in a lane. Reads a bounded part of the lane. */
async function findWaiting(
  kv: KeyValueStore,
  { lane, id }: { lane: string; id: string },
): Promise<KvEntry<StoredJob> | null> {
  const options = { batchSize: 500, limit: limits.countedJobs };
  for await (const entry of kv.list<StoredJob>({ prefix: keys.jobsOf(lane) }, options)) {
    if (entry.value.id === id) return entry.value.owner === null ? entry : null;
  }
  return null;
}

/** The entry of a dead job, whose lane is unknown. */
async function findDead(kv: KeyValueStore, id: string): Promise<KvEntry<StoredDead> | null> {
  for await (
    const entry of kv.list<StoredDead>({ prefix: keys.deadJobs }, { batchSize: 500 })
  ) {
    if (entry.value.id === id) return entry;
  }
  return null;
}

/** Removes a dead job, and makes a job of the same id due now if it is to run again. */
async function endDead(
  { kv, committer }: { kv: KeyValueStore; committer: Committer },
  id: string,
  again: Clocks | null,
): Promise<boolean> {
  const entry = await findDead(kv, id);
  if (entry === null) return false;
  const { kind, lane, args, series } = entry.value;
  const batch = emptyBatch();
  batch.checks.push(entry);
  batch.deletes.push(entry.key);
  const job = { id, kind, lane, args, ...(series === null ? {} : { series }) };
  if (again !== null) stageJobs(batch, [job], again);
  return await committer.commit(batch) !== null;
}
