/** How often `eventually()` looks; a look may start no process. */
const everyMs = 10;

/** Waits until something is true, looking again and again; fails after `mostMs`. */
export async function eventually<T>(
  what: string | (() => string),
  look: () => Promise<T | undefined | false> | T | undefined | false,
  mostMs = 60_000,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`Not in ${mostMs} ms: ${typeof what === "string" ? what : what()}`));
  }, mostMs);
  try {
    for (;;) {
      const found = await Promise.race([look(), late.promise]);
      if (found) return found;
      const again = new Promise((wake) => setTimeout(wake, everyMs));
      await Promise.race([again, late.promise]);
    }
  } finally {
    clearTimeout(timer);
  }
}
