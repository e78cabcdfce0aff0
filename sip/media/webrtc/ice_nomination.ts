import type { Checks, Pair } from "./ice_checks.ts";
import { mediaLimits } from "../base/limits.ts";
import type { Clock } from "../base/ticker.ts";

/** Nomination of a pair by the controlling agent (RFC 8445 §8.1.1). */
export interface Nomination {
  /** Nominates the best valid pair: at once where no better one may come, else some time later. */
  consider(): void;
  close(): void;
}

interface Options {
  checks: Checks;
  clock: Clock;
  /** True where a pair is ours to choose still. */
  isOpen(): boolean;
}

export function createNomination({ checks, clock, isOpen }: Options): Nomination {
  let cancel: (() => void) | undefined;
  const best = () => {
    const pairs = checks.pairs();
    const isDone = !isOpen() || pairs.some(({ isNominated }) => isNominated);
    return isDone ? undefined : pairs.find(({ isValid }) => isValid);
  };
  const nominate = (pair: Pair) => {
    pair.isNominated = true;
    pair.transaction = undefined;
    checks.trigger(pair);
  };
  return {
    consider() {
      const pair = best();
      if (pair === undefined) return;
      if (pair === checks.pairs()[0]) return nominate(pair);
      cancel ??= clock.after(mediaLimits.iceSettleMs, () => {
        cancel = undefined;
        const pair = best();
        if (pair !== undefined) nominate(pair);
      });
    },
    close: () => cancel?.(),
  };
}
