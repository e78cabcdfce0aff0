/** Counts the use of a rate by name. */
export interface TokenBuckets {
  /** The whole seconds until a name may take one; 0: now. */
  waitOf(name: string): number;
  /** Takes one, where there is one. */
  take(name: string): void;
  /** Tokens left, as a part of one. */
  tokensOf(name: string): number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Buckets of `most` tokens that fill up at `perSecond`. A full one needs no entry. At most
 * `mostKnown` are: beyond that, those are forgotten that were used longest ago.
 */
export function tokenBuckets(
  { perSecond, most, mostKnown = Infinity }: {
    perSecond: number;
    most: number;
    mostKnown?: number;
  },
  now: () => number,
): TokenBuckets {
  // Two generations: the buckets in the old one were last used before the young one began. The old one
  // is dropped when all of its buckets must be full again, or the young one has half of `mostKnown`.
  let [young, old] = [new Map<string, Bucket>(), new Map<string, Bucket>()];
  let youngSince = now();
  const fullMs = most / perSecond * 1000;

  const tokensOf = (name: string) => {
    const { tokens, at } = young.get(name) ?? old.get(name) ?? { tokens: most, at: now() };
    return Math.min(most, tokens + Math.max(0, now() - at) / 1000 * perSecond);
  };

  return {
    tokensOf,
    waitOf(name) {
      const tokens = tokensOf(name);
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
    },
    take(name) {
      const tokens = tokensOf(name);
      if (now() - youngSince >= fullMs || young.size >= mostKnown / 2) {
        [young, old, youngSince] = [new Map(), young, now()];
      }
      young.set(name, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now() });
    },
  };
}
