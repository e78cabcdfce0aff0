import type { Clock } from "../../../sip/media/base/ticker.ts";

/** A clock that stands still until the test moves it. */
export interface HandClock extends Clock {
  /** Moves the time on; timers that come due fire in order, each `late` ms after its time. */
  advance(ms: number, late?: number): void;
  /** Timers that wait. */
  waiting(): number;
}

export function handClock(): HandClock {
  let time = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  const next = () => [...timers].sort((a, b) => a.at - b.at)[0];
  return {
    now: () => time,
    after(ms, callback) {
      const timer = { at: time + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms, late = 0) {
      const end = time + ms;
      for (let timer = next(); timer !== undefined && timer.at + late <= end; timer = next()) {
        timers.delete(timer);
        time = Math.max(time, timer.at + late);
        timer.callback();
      }
      time = end;
    },
    waiting: () => timers.size,
  };
}
