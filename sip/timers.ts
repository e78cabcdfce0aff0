/** Timers that end with their owner: after `clear` none fires and none can be set. */
export interface Timers {
  /** Calls back once; the result forgets it. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after the time, or at once when the signal aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  clear(): void;
}

export function createTimers(): Timers {
  const running = new Set<() => void>();
  let cleared = false;

  const after = (ms: number, callback: () => void): () => void => {
    if (cleared) return () => {};
    const timer = setTimeout(() => (running.delete(stop), callback()), ms);
    const stop = () => (clearTimeout(timer), void running.delete(stop));
    running.add(stop);
    return stop;
  };

  const pause = (ms: number, signal?: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal?.aborted || cleared) return Promise.resolve();
    const stop = after(ms, resolve);
    const aborted = () => (stop(), resolve());
    signal?.addEventListener("abort", aborted, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", aborted));
  };

  const clear = () => {
    cleared = true;
    for (const stop of [...running]) stop();
  };

  return { after, pause, clear };
}
