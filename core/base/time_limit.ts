/** The time that some work may take. Disposing of it lets go of its timer, and of the signal around it. */
export interface TimeLimit extends Disposable {
  /** Aborts when the time is over, or as the signal around it does. */
  readonly signal: AbortSignal;
  /** Whether the time was over before the work. */
  readonly isOver: boolean;
}

/**
 * Limits work to `ms`. `AbortSignal.timeout` keeps its timer, and all that hangs on its signal, until
 * the time is over: for seconds after each of hundreds of requests a second that took one ms.
 */
export function timeLimit(ms: number, around?: AbortSignal): TimeLimit {
  const limit = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    limit.abort(new DOMException(`The time limit of ${ms} ms is over`, "TimeoutError"));
  }, ms);
  const abort = () => limit.abort(around?.reason);
  if (around?.aborted) abort();
  around?.addEventListener("abort", abort, { once: true });
  return {
    signal: limit.signal,
    get isOver() {
      return isOver;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      around?.removeEventListener("abort", abort);
    },
  };
}
