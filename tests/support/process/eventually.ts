/** The pauses between two looks of `eventually()`; a look may start no process. */
const [firstPauseMs, mostPauseMs] = [10, 50];

/**
 * Waits until a condition is true, by repeated checks; fails after `mostMs`. Slow checks are
 * repeated less often: each one of a service or a browser costs the machine CPU time.
 */
export async function eventually<T>(
  what: string | (() => string),
  look: () => Promise<T | undefined | false> | T | undefined | false,
  mostMs = 60_000,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`Not in ${mostMs} ms: ${typeof what === "string" ? what : what()}`));
  }, mostMs);
  const begun = performance.now();
  try {
    for (;;) {
      const found = await Promise.race([look(), late.promise]);
      if (found) return found;
      const pauseMs = Math.min(mostPauseMs, firstPauseMs + (performance.now() - begun) / 20);
      const again = new Promise((wake) => setTimeout(wake, pauseMs));
      await Promise.race([again, late.promise]);
    }
  } finally {
    clearTimeout(timer);
  }
}
