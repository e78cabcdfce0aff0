import type { Clocks } from "../base/steady_clock.ts";
import type { Call } from "../model/resources/calls.ts";

/**
 * The time of a call. It begins with the wall clock when a companion first reports the call, and goes on
 * by the steady clock: EndTime less StartTime is the time that has passed, however the wall clock was
 * set meanwhile. Duration and price follow from it.
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
