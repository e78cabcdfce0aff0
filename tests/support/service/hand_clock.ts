/** A wall clock and a monotonic clock that are moved by hand, in ms. */
export interface HandClock {
  /** The wall clock. A change of it moves the monotonic clock along: time passes. */
  now: number;
  /** The monotonic clock; it moves with `now` alone. */
  readonly steady: number;
  /** Sets the wall clock by so many ms; no time passes. */
  step(ms: number): void;
}

export function handClock(start: number): HandClock {
  let [wall, steady] = [start, start];
  return {
    get now() {
      return wall;
    },
    set now(to) {
      steady += to - wall;
      wall = to;
    },
    get steady() {
      return steady;
    },
    step(ms) {
      wall += ms;
    },
  };
}
