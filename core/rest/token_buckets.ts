/** Counts what each name takes of a rate. */
export interface TokenBuckets {
  /** The whole seconds until a name may take one; 0: now. */
  waitOf(name: string): number;
  /** Takes one, where there is one. */
  take(name: string): void;
  /** What is left, in parts of one. */
  tokensOf(name: string): number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Buckets of `most` tokens that fill up at `perSecond`. A full one need not be known; beyond `mostKnown`
 * those are forgotten that were used longest ago.
 */
export function tokenBuckets(
  { perSecond, most, mostKnown = Infinity }: {
    perSecond: number;
    most: number;
    mostKnown?: number;
  },
  now: () => number,
): TokenBuckets {
  // In the order of their last use: the first have filled up again.
  const buckets = new Map<string, Bucket>();
  const fullMs = most / perSecond * 1000;

  const forget = () => {
    for (const [name, { at }] of buckets) {
      if (now() - at < fullMs && buckets.size < mostKnown) break;
      buckets.delete(name);
    }
  };

  const tokensOf = (name: string) => {
    const { tokens, at } = buckets.get(name) ?? { tokens: most, at: now() };
    return Math.min(most, tokens + Math.max(0, now() - at) / 1000 * perSecond);
  };

  return {
    tokensOf,
    waitOf(name) {
      const tokens = tokensOf(name);
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
    },
    take(name) {
      forget();
      const tokens = tokensOf(name);
      buckets.delete(name);
      buckets.set(name, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now() });
    },
  };
}
