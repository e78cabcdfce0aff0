import type { Clocks } from "../../core/base/steady_clock.ts";
import { keys } from "./keys.ts";

/**
 * The steady clock of a store. Its times are written: due times of jobs, leases, ends of spans. So it
 * goes on from process to process: the store keeps by how much the wall clock was ahead of it, and a
 * time that it had reached. A process that starts goes on from there. A wall clock that was set while
 * the last process ran moves nothing, one that was set back while none ran does not turn it back.
 *
 * Services on a shared store count from their own wall clocks at the start of each, as these agree
 * better than what any of them has written.
 */
export interface StoreClock {
  /** In ms. */
  steadyNow(): number;
  /**
   * Notes by how much the wall clock is ahead, where it was set since, and now and then the time that
   * was reached. Resolves with the ms by which the wall clock was set; 0 where it was not.
   */
  look(): Promise<number>;
}

/** By how much the wall clock was ahead of the store's, and a time that the store's had reached, in ms. */
interface Anchor {
  aheadMs: number;
  reachedAt: number;
}

/** The wall clock was set when it moved by more than this against the steady one, in ms. */
const stepMs = 500;

/** The time that was reached is written so often, in ms. */
const noteMs = 60_000;

export async function storeClock(
  kv: Deno.Kv,
  clocks: Clocks,
  { isShared }: { isShared: boolean },
): Promise<StoreClock> {
  const { value } = isShared ? { value: null } : await kv.get<Anchor>(keys.clock);
  const { aheadMs, reachedAt } = value ?? { aheadMs: 0, reachedAt: -Infinity };
  const startsAt = Math.max(clocks.now() - aheadMs, reachedAt);
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
      const isNoted = Math.abs(known - noted) <= stepMs && steadyNow() - notedAt < noteMs;
      if (!isShared && !isNoted) {
        const anchor: Anchor = { aheadMs: known, reachedAt: steadyNow() };
        await kv.set(keys.clock, anchor);
        [noted, notedAt] = [known, steadyNow()];
      }
      return isSet ? moved : 0;
    },
  };
}
