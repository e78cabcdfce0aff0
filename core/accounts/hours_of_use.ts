import { limits } from "../base/limits.ts";

/** Precision of the latest use of a credential, and the least time between two writes of it. */
const useMs = 3_600_000;

/**
 * Notes in memory which hours of use were written. The function returns the hour of a use that is to be
 * written, in ms, or null where it was: `lastUsed` is the latest hour that the store has.
 */
export function hoursOfUse(
  now: () => number,
): (id: string, lastUsed: number | null | undefined) => number | null {
  const noted = new Map<string, number>();
  return (id, lastUsed) => {
    const hour = now() - now() % useMs;
    if (hour <= Math.max(lastUsed ?? 0, noted.get(id) ?? 0)) return null;
    noted.delete(id); // It becomes the newest entry.
    noted.set(id, hour);
    const [oldest = id] = noted.keys();
    if (noted.size > limits.recentAccounts) noted.delete(oldest);
    return hour;
  };
}
