import { awakeNow } from "../../core/base/steady_clock.ts";

/** Timers that end with their owner: after `clear` none fires and none can be set. */
export interface Timers {
  /** Calls back once; the result forgets it. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after the time, or at once when the signal aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  clear(): void;
}

/**
 * Many timers run for the same time, so one of the runtime's, which costs far more, serves a time. They go
 * by the awake clock: after a stop of the process what has come meanwhile is read before they fire.
 */
export function createTimers(): Timers {
  const lines = new Map<number, Line>();
  let cleared = false;

  const createForgotten = (ms: number): Line => {
    const line = createLine(ms, () => lines.get(ms) === line && lines.delete(ms));
    return line;
  };
  const after = (ms: number, callback: () => void): () => void => {
    if (cleared) return () => {};
    return lines.getOrInsertComputed(ms, createForgotten).add(callback);
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
    for (const line of [...lines.values()]) line.clear();
  };

  return { after, pause, clear };
}

/** Timers of one length: the first that was set is the first to fire. */
interface Line {
  add(callback: () => void): () => void;
  clear(): void;
}

interface Waiting {
  readonly callback: () => void;
  readonly at: number;
  before: Waiting | undefined;
  after: Waiting | undefined;
  waits: boolean;
}

function createLine(ms: number, onEmpty: () => void): Line {
  let first: Waiting | undefined;
  let last: Waiting | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const remove = (waiting: Waiting) => {
    const { before, after } = waiting;
    waiting.waits = false;
    if (before === undefined) first = after;
    else before.after = after;
    if (after === undefined) last = before;
    else after.before = before;
    // Garbage among what is old would keep its neighbours from the collector of what is young.
    waiting.before = waiting.after = undefined;
  };
  const clear = () => {
    clearTimeout(timer);
    first = last = timer = undefined;
    onEmpty();
  };
  const arm = () => {
    if (first === undefined) return clear();
    timer = setTimeout(fire, Math.max(first.at - awakeNow(), 0));
  };
  const fire = () => {
    const now = awakeNow();
    try {
      while (first !== undefined && first.at <= now) {
        const due = first;
        remove(due);
        due.callback();
      }
    } finally {
      // One that was stopped has left the timer as it is, to find nothing that is due.
      arm();
    }
  };
  return {
    add(callback) {
      const waiting: Waiting = {
        callback,
        at: awakeNow() + ms,
        before: last,
        after: undefined,
        waits: true,
      };
      if (last !== undefined) last.after = waiting;
      last = waiting;
      first ??= waiting;
      if (timer === undefined) arm();
      return () => {
        if (!waiting.waits) return;
        remove(waiting);
        if (first === undefined) clear();
      };
    },
    clear,
  };
}
