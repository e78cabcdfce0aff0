import { type Clocks, steadyFrom } from "../../core/base/steady_clock.ts";
import { emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import { stageMoved, type StoredJob } from "./queue.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/** A job that is due within this time, in ms, is left where it is: it may have begun. */
const nearMs = 2_000;

/** Smaller differences are none, in ms. */
const leastMs = 500;

/**
 * Moves the jobs that are due by date to the time of that date by the monotonic clock. The wall
 * clock was set since they were created.
 */
export async function moveDatedJobs(
  { kv, committer }: { kv: KeyValueStore; committer: Pick<Committer, "commit"> },
  clocks: Clocks,
): Promise<void> {
  const options = { batchSize: 500 };
  for await (const entry of kv.list<StoredJob>({ prefix: keys.jobs }, options)) {
    const { date, owner } = entry.value;
    if (date === undefined || owner !== null) continue;
    const [dueAt, at] = [Number(entry.key[3]), steadyFrom(date, clocks)];
    const mayHaveBegun = dueAt < clocks.steadyNow() + nearMs;
    if (mayHaveBegun || Math.abs(at - dueAt) < leastMs) continue;
    const batch = emptyBatch();
    stageMoved(batch, entry, at);
    await committer.commit(batch); // One that was changed meanwhile has gone its way.
  }
}
