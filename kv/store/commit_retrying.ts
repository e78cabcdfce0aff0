import { isLocked, type StoreHealth } from "./store_health.ts";
import type { KvCommitResult } from "./key_value_store.ts";

/**
 * A second handle on the embedded file (a backup, an inspection) can make a checked commit throw
 * "database is locked" before it wrote anything. So the commit is repeated. A store that stays
 * locked cannot write: then `health` makes the error.
 */
export async function commitRetrying(
  commit: () => Promise<KvCommitResult>,
  health?: Pick<StoreHealth, "failed">,
): Promise<KvCommitResult> {
  for (let attempt = 1;; attempt++) {
    try {
      return await commit();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (attempt === lockedAttempts) throw health?.failed(error) ?? error;
      await jitter(Math.min(attempt * 5, 60));
    }
  }
}

const lockedAttempts = 60;

/** Waits a random time up to `ms`, so that competing writers do not collide again. */
export const jitter = (ms: number): Promise<void> =>
  new Promise((wake) => setTimeout(wake, Math.random() * ms));
