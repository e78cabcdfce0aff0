import type { Clocks } from "../../core/base/steady_clock.ts";
import { keys } from "./keys.ts";
import type { KeyValueStore, KvEntry } from "./key_value_store.ts";

/**
 * The steady clock of a store. Its times are written: due times of jobs, leases, ends of spans. So it
 * goes on from process to process: the store keeps by how much the wall clock was ahead of it, and a
 * time that it had reached. A process that starts goes on from there. A wall clock that was set while
 * the last process ran moves nothing, one that was set back while none ran does not turn it back.
 *
 * Services on a shared store go by one time: one that starts takes over that of those that run, where
 * its own wall clock differs. Else it would take the leases of others for expired. Each writes every 2 s
 * the time that it has reached. One whose wall clock differs by more than 4 s waits up to 5 s for the next
 * such entry, so a restart of all services takes 5 s more. Where no other runs, it starts by its wall clock,
 * but not before the time that was reached. Jobs that are due at a date move when the wall clock was set
 * (`kv/jobs/dated_jobs.ts`).
 */
export interface StoreClock {
  /** In ms. */
  steadyNow(): number;
  /**
   * Writes by how much the wall clock is ahead, if it was set since, and now and then the time that
   * was reached. If the store does not take it, the next look tries again. Resolves with the ms by
   * which the wall clock was set; 0 if it was not.
   */
  look(): Promise<number>;
}

/** By how much the wall clock was ahead of the store's, and a time that the store's had reached, in ms. */
interface Anchor {
  aheadMs: number;
  reachedAt: number;
}

/** The wall clock was set when it moved by more than this against the monotonic one, in ms. */
const stepMs = 500;

/** The time that was reached is written so often, in ms; to a shared store more often. */
const [noteMs, sharedNoteMs] = [60_000, 2_000];

/** Age bounds of a recent time from the store, against the own clock, in ms. */
const [leastAgeMs, mostAgeMs] = [-1_000, 2 * sharedNoteMs];

/** A service waits for a sign of others so long, and looks so often, in ms. */
const [signMs, lookMs] = [2.5 * sharedNoteMs, 250];

export interface StoreClockOptions {
  isShared: boolean;
  /** True where to wait for a sign of other services, where the store's time is not this machine's. */
  waits?: boolean;
  pause?(ms: number): Promise<unknown>;
}

export async function storeClock(
  kv: KeyValueStore,
  clocks: Clocks,
  { isShared, waits = isShared, pause = wait }: StoreClockOptions,
): Promise<StoreClock> {
  const entry = await kv.get<Anchor>(keys.clock);
  const { value } = entry;
  const { aheadMs, reachedAt } = value ?? { aheadMs: 0, reachedAt: -Infinity };
  const others = waits && value !== null ? await timeOfOthers(kv, entry, { clocks, pause }) : null;
  const startsAt = others ?? Math.max(clocks.now() - (isShared ? 0 : aheadMs), reachedAt);
  const offset = startsAt - clocks.steadyNow();
  const steadyNow = () => clocks.steadyNow() + offset;
  const aheadNow = () => clocks.now() - steadyNow();
  let known = aheadNow();
  let noted = value === null ? 0 : aheadMs; // As the store has it: none is 0.
  let notedAt = steadyNow();
  return {
    steadyNow,
    async look() {
      const moved = aheadNow() - known;
      const isSet = Math.abs(moved) > stepMs;
      if (isSet) known += moved;
      const isRecent = steadyNow() - notedAt < (isShared ? sharedNoteMs : noteMs);
      if (!isRecent || Math.abs(known - noted) > stepMs) {
        const anchor: Anchor = { aheadMs: known, reachedAt: steadyNow() };
        const isWritten = await kv.set(keys.clock, anchor).then(() => true, () => false);
        if (isWritten) [noted, notedAt] = [anchor.aheadMs, anchor.reachedAt];
      }
      return isSet ? moved : 0;
    },
  };
}

/**
 * The time of the services that run on a shared store, if this machine's differs from it. Null if
 * it agrees, or if none runs: the entry that they write again and again then stays as it is.
 */
async function timeOfOthers(
  kv: KeyValueStore,
  { value, versionstamp }: KvEntry<Anchor>,
  { clocks: { now, steadyNow }, pause }: {
    clocks: Clocks;
    pause(ms: number): Promise<unknown>;
  },
): Promise<number | null> {
  const ageMs = now() - value.reachedAt;
  if (ageMs >= leastAgeMs && ageMs <= mostAgeMs) return null;
  for (const end = steadyNow() + signMs; steadyNow() < end;) {
    await pause(lookMs);
    const found = await kv.get<Anchor>(keys.clock);
    if (found.versionstamp === null || found.versionstamp === versionstamp) continue;
    const isSame = Math.abs(now() - found.value.reachedAt) <= mostAgeMs;
    return isSame ? null : found.value.reachedAt;
  }
  return null;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
