/**
 * The reason of our abort signals, which nothing reads. Without a reason, each abort would make a
 * DOMException with its stack, which costs more than all that follows.
 */
export const overReason = "over";

/** The promise, or undefined as soon as the signal aborts; a late rejection goes unnoticed. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    promise.then((value) => {
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    }, (why) => {
      signal.removeEventListener("abort", onAbort);
      reject(why);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Resolves when the signal aborts, and not before. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
