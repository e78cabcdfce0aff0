/**
 * The replay window of one source (RFC 3711 §3.3.2): the highest packet index received, and a bit for
 * each of the last 64 indices, the lowest bit for the newest.
 */
export interface ReplayWindow {
  /** -1 before the first packet. */
  highest: number;
  newer: number;
  older: number;
}

/** The size of the window; older indices are refused. */
export const WINDOW_PACKETS = 64;
const HALF = WINDOW_PACKETS / 2;

export const newReplayWindow = (): ReplayWindow => ({ highest: -1, newer: 0, older: 0 });

/** True where an index is new and not older than the window. */
export function isFresh({ highest, newer, older }: ReplayWindow, index: number): boolean {
  const age = highest - index;
  if (age < 0) return true;
  if (index < 0 || age >= WINDOW_PACKETS) return false;
  return ((age < HALF ? newer >>> age : older >>> (age - HALF)) & 1) === 0;
}

/** Marks a fresh index as received. */
export function take(window: ReplayWindow, index: number): void {
  const age = window.highest - index;
  if (age < 0) {
    shift(window, -age);
    window.highest = index;
    window.newer |= 1;
  } else if (age < HALF) {
    window.newer |= 1 << age;
  } else {
    window.older |= 1 << (age - HALF);
  }
}

function shift(window: ReplayWindow, by: number): void {
  const { newer, older } = window;
  window.newer = by < HALF ? newer << by : 0;
  window.older = by < HALF
    ? (older << by) | (newer >>> (HALF - by))
    : by < WINDOW_PACKETS
    ? newer << (by - HALF)
    : 0;
}

/**
 * The index of a packet by its sequence number: the one next to the highest so far (RFC 3711 §3.3.1),
 * so that the number may wrap; negative when it would lie before the beginning.
 */
export const indexOf = ({ highest }: ReplayWindow, sequence: number): number =>
  highest < 0 ? sequence : highest + ((sequence - highest) << 16 >> 16);
