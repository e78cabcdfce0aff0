import type { Clocks } from "../base/steady_clock.ts";
import type { Call } from "../model/resources/calls.ts";

/**
 * The time of a call. It begins with the wall clock when a companion first reports the call, and goes on
 * by the steady clock: EndTime less StartTime is the time that has passed, however the wall clock was
 * set meanwhile. Duration and price follow from it.
 *
 * A companion says with each report how long ago the event was (`ageMs`), so its own wall clock does not
 * matter. After a step, EndTime may differ from the wall clock by the step, and from dates of other records.
 * Simulated legs of test accounts have the time of their call too.
 */

/** Lead of the time of a call over the steady clock, in ms. */
export const aheadOf = (
  { clockAheadMs }: Pick<Call, "clockAheadMs">,
  { now, steadyNow }: Clocks,
): number => clockAheadMs ?? now() - steadyNow();

/** The present by the time of a call, or a point of the steady clock, in ms. */
export const callTime = (
  call: Pick<Call, "clockAheadMs">,
  clocks: Clocks,
  steadyAt = clocks.steadyNow(),
): number => steadyAt + aheadOf(call, clocks);
