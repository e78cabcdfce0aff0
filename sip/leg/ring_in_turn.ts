import { steadyNow } from "../../core/base/steady_clock.ts";
import type { Calls } from "../contracts/calls.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import { type Child, type DialStep, hangUpOthers, type Ring, ringAll } from "./ring_all.ts";

/**
 * Rings the legs of a dial one after the other, each for the dial's time-out, until one answers. The
 * signal aborts when the caller leaves: no further leg is placed then.
 */
export function ringInTurn(
  calls: Calls,
  live: LiveLeg,
  step: DialStep,
  signal: AbortSignal,
): Ring {
  const children: Child[] = [];
  const rings: Ring[] = [];
  const ring = async (): Promise<Child | undefined> => {
    for (const invitation of step.legs) {
      if (signal.aborted) return undefined;
      const one = ringAll(calls, live, { ...step, legs: [invitation] });
      rings.push(one);
      children.push(...one.children);
      const winner = await one.winner;
      if (winner !== undefined) return winner;
      hangUpOthers(one, undefined);
    }
    return undefined;
  };
  const startedAt = steadyNow();
  const winner = ring();
  const endings = winner.then(() => Promise.all(rings.map(({ endings }) => endings)))
    .then((all) => all.flat());
  return { children, startedAt, proxied: null, winner, endings };
}
