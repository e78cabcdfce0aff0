/**
 * A second handle on the embedded file (a backup, an inspection) can make a checked commit throw
 * "database is locked" before it wrote anything, so the commit is repeated.
 */
export async function commitRetrying(
  commit: () => Promise<Deno.KvCommitResult | Deno.KvCommitError>,
): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
  for (let attempt = 1;; attempt++) {
    try {
      return await commit();
    } catch (error) {
      if (attempt === lockedAttempts || !/database is locked|busy/i.test(String(error))) {
        throw error;
      }
      await jitter(Math.min(attempt * 5, 60));
    }
  }
}

const lockedAttempts = 60;

/** Waits a random time up to `ms`, so that competing writers do not collide again. */
export const jitter = (ms: number): Promise<void> =>
  new Promise((wake) => setTimeout(wake, Math.random() * ms));
