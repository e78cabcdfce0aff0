import { firstFrom } from "../cache/counter_cache.ts";
import type { Span } from "../store/counters.ts";

/** Records that have an entry in an index and do not pass. */
export interface ExcludedEntries {
  sids: ReadonlySet<string>;
  /** The times of their Sids, ascending. */
  times: readonly number[];
}

/** The number of excluded entries in a span. */
export const excludedIn = (excluded: ExcludedEntries | undefined, { from, before }: Span): number =>
  excluded === undefined ? 0 : firstFrom(excluded.times, before) - firstFrom(excluded.times, from);
