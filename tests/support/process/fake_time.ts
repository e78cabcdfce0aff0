import { setImmediate } from "node:timers";

/** The timers and the clock of the whole process, stopped until the test moves them. */
export interface FakeTime {
  /** Moves the time on; timers that come due fire in order, each at its time. */
  advance(ms: number): void;
  /** Timers that wait. */
  waiting(): number;
  /** Lets happen what waits for no timer: promises, and what they lead to. */
  settle(): Promise<void>;
  [Symbol.dispose](): void;
}

interface Timer {
  at: number;
  every: number | undefined;
  callback: () => void;
}

/** Takes time over, also from code that uses the globals, as the SIP library does. */
export function fakeTime(): FakeTime {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const realNow = Date.now;
  const realPerformanceNow = performance.now;
  const timers = new Map<number, Timer>();
  let now = realNow();
  let ids = 0;

  const start = (repeats: boolean) => (callback: () => void, ms = 0) => {
    const every = repeats ? Math.max(ms, 1) : undefined;
    timers.set(++ids, { at: now + ms, every, callback });
    return ids;
  };
  const stop = (id: number) => void timers.delete(id);
  const due = (until: number) =>
    [...timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at);

  Object.assign(globalThis, {
    setTimeout: start(false),
    setInterval: start(true),
    clearTimeout: stop,
    clearInterval: stop,
  });
  Date.now = performance.now = () => now;

  return {
    advance(ms) {
      const end = now + ms;
      for (let round = due(end); round.length > 0; round = due(end)) {
        for (const [id, timer] of round) {
          if (!timers.has(id)) continue;
          now = Math.max(now, timer.at);
          if (timer.every === undefined) timers.delete(id);
          else timer.at += timer.every;
          timer.callback();
        }
      }
      now = end;
    },
    waiting: () => timers.size,
    settle: () => new Promise((resolve) => void setImmediate(resolve)),
    [Symbol.dispose]() {
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
      Date.now = realNow;
      performance.now = realPerformanceNow;
    },
  };
}
