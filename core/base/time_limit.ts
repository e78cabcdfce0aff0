import { awakeNow } from "./steady_clock.ts";
import { createShortLivedSet, type ShortLivedSet } from "./short_lived_map.ts";

/** Time limit of some work. Disposing of it releases its timer, and the signal around it. */
export interface TimeLimit extends Disposable {
  /** Aborts when the time is over, or as the signal around it does. */
  readonly signal: AbortSignal;
  /** True when the time ended before the work. */
  readonly isOver: boolean;
}

/**
 * Limits work to `ms`. `AbortSignal.timeout` keeps its timer, and all that hangs on its signal, until
 * the time is over: for seconds after each of hundreds of requests a second that took one ms. Limits of
 * one length share one timer: timers took 1.5 % of the main thread in bursts of webhooks.
 */
export function timeLimit(ms: number, around?: AbortSignal): TimeLimit {
  const limit = new AbortController();
  let isOver = false;
  const stop = begin(ms, () => {
    isOver = true;
    limit.abort(new DOMException(`The time limit of ${ms} ms is over`, "TimeoutError"));
  });
  const abort = () => limit.abort(around?.reason);
  if (around?.aborted) abort();
  around?.addEventListener("abort", abort);
  return {
    signal: limit.signal,
    get isOver() {
      return isOver;
    },
    [Symbol.dispose]() {
      stop();
      around?.removeEventListener("abort", abort);
    },
  };
}

interface Running {
  /** By the awake clock: the time in which this process stood does not count. */
  endsAt: number;
  end(): void;
  /** Takes it out of the limits that run. */
  leave(): void;
}

/** Limits of one length: they end in the order in which they began, so one timer serves them all. */
interface Limits {
  running: ShortLivedSet<Running>;
  timer: ReturnType<typeof setTimeout>;
}

const limits = new Map<number, Limits>();

/** Calls `end` after `ms`, unless the result was called before. */
function begin(ms: number, end: () => void): () => void {
  const one: Running = { endsAt: awakeNow() + ms, end, leave() {} };
  one.leave = (limits.get(ms) ?? newLimits(ms)).running.add(one);
  return () => {
    one.leave();
    const { running, timer } = limits.get(ms) ?? {};
    if (running?.size !== 0) return;
    clearTimeout(timer);
    limits.delete(ms);
  };
}

function newLimits(ms: number): Limits {
  const made = { running: createShortLivedSet<Running>(), timer: setTimeout(() => endDue(ms), ms) };
  limits.set(ms, made);
  return made;
}

function endDue(ms: number): void {
  const all = limits.get(ms);
  if (all === undefined) return;
  for (const one of all.running) {
    const left = one.endsAt - awakeNow();
    if (left > 0) {
      all.timer = setTimeout(() => endDue(ms), Math.ceil(left));
      return;
    }
    one.leave();
    one.end();
  }
  if (limits.get(ms) === all) limits.delete(ms); // The work that ended may have begun others.
}
