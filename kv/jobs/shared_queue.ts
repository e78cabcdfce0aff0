import { emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import {
  chooser,
  type Claim,
  type Claimed,
  type HeldJob,
  type Lane,
  type Queue,
  spentAtOnce,
  stageMove,
  type StoredJob,
  type Waiting,
} from "./queue.ts";
import { type KeyValueStore, type KvEntry, KvU64 } from "../store/key_value_store.ts";

/** A lane by its hint in the store: the earliest time at which one of its jobs can be due. */
interface HintedLane extends Lane {
  hint: KvEntry<KvU64>;
}

/** The store of a queue; `checks` is the most checks of one commit. */
interface JobStore {
  kv: KeyValueStore;
  committer: Committer;
  checks: number;
}

/**
 * The queue of a store that several processes use: a claim is written. It moves a job to the time its
 * lease ends, so the job of a worker that died is due again by itself.
 */
export function sharedQueue(kv: KeyValueStore, committer: Committer, checks: number): Queue {
  const store = { kv, committer, checks };
  return {
    lanes: () => lanesIn(kv),
    claim: (lane, claim) => claimIn(store, lane as HintedLane, claim), // As `lanes` gives them.
    renew: (held, until) => renewLease(committer, held, until),
    find: (held, untils) => findLease(kv, held, untils),
    lost() {},
    start: () => Promise.resolve(),
  };
}

async function lanesIn(kv: KeyValueStore): Promise<HintedLane[]> {
  const lanes: HintedLane[] = [];
  for await (const hint of kv.list<KvU64>({ prefix: keys.lanes }, { batchSize: 200 })) {
    lanes.push({ name: String(hint.key.at(-1)), dueAt: Number(hint.value.value), hint });
  }
  return lanes;
}

async function claimIn(store: JobStore, lane: HintedLane, claim: Claim): Promise<Claimed> {
  const { kv, committer, checks } = store;
  const { now, most, isSpent, leaseMs } = claim;
  const batchSize = isSpent === undefined ? most + 1 : spentAtOnce;
  const entries = kv.list<StoredJob>({ prefix: keys.laneJobs(lane.name) }, { batchSize });
  const { offer, choice } = chooser(claim);
  for await (const entry of entries) if (!offer(entry)) break;
  const { due, waiting } = choice;
  let { next } = choice;
  const held: HeldJob[] = [];
  for (let i = 0; i < due.length; i += checks) {
    const leased = await writeLeases(committer, due.slice(i, i + checks), claim);
    held.push(...leased);
    if (leased.length === 0) next = now; // Another worker claimed some of them first.
  }
  if (held.length > 0) next = Math.min(next, now + leaseMs);
  const hint = Math.min(next, waiting);
  // A hint that is too low costs a read, and raising it a commit: only an idle look raises it.
  const isKept = held.length > 0 || hint <= now;
  return { held, next, ...!isKept && { hinted: setHint(committer, lane, hint) } };
}

/** Raises or deletes a lane's hint, unless a job was added meanwhile. */
async function setHint(committer: Committer, { hint }: HintedLane, dueAt: number): Promise<void> {
  const batch = emptyBatch();
  batch.checks.push(hint);
  if (dueAt === Infinity) batch.deletes.push(hint.key);
  else batch.sets.push({ key: hint.key, value: new KvU64(BigInt(Math.floor(dueAt))) });
  await committer.commit(batch);
}

/** Extends a written lease; null when it was lost meanwhile. */
async function renewLease(
  committer: Committer,
  { job, ...entry }: HeldJob,
  until: number,
): Promise<HeldJob | null> {
  const key = keys.job(job.lane, until, job.id);
  const batch = emptyBatch();
  stageMove(batch, { job, ...entry }, key);
  batch.sets.push({ key, value: job });
  const committed = await committer.commit(batch);
  return committed === null ? null : { job, key, ...committed };
}

async function findLease(
  kv: KeyValueStore,
  { job }: HeldJob,
  untils: readonly number[],
): Promise<HeldJob | null> {
  for (const until of untils) {
    const key = keys.job(job.lane, until, job.id);
    const { value, versionstamp } = await kv.get<StoredJob>(key);
    const isOurs = value?.owner === job.owner && value.attempt === job.attempt;
    if (isOurs && versionstamp !== null) return { job, key, versionstamp };
  }
  return null;
}

/** Writes leases of jobs, all or none: none when another worker changed one of them meanwhile. */
async function writeLeases(
  committer: Committer,
  entries: Waiting[],
  { owner, now, leaseMs }: Claim,
): Promise<HeldJob[]> {
  const batch = emptyBatch();
  const leased = entries.map(({ value }) => {
    const job = { ...value, attempt: value.attempt + 1, owner };
    return { job, key: keys.job(job.lane, now + leaseMs, job.id) };
  });
  for (const entry of entries) {
    batch.checks.push(entry);
    batch.deletes.push(entry.key);
  }
  for (const { key, job } of leased) batch.sets.push({ key, value: job });
  const committed = await committer.commit(batch);
  return committed === null ? [] : leased.map((held) => ({ ...held, ...committed }));
}
