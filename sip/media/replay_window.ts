/**
 * The packet indices of one source that were taken, as far as they are not too old to be told apart
 * (RFC 3711 §3.3.2).
 */
export interface ReplayWindow {
  /** -1 before the first packet. */
  highest: number;
  /** A bit for each of the last indices; the words go round. */
  readonly seen: Int32Array;
}

/** A power of two. */
const WORDS = 8;
/** Indices behind the highest that are told apart; older ones are refused. */
export const WINDOW_PACKETS = (WORDS - 1) * 32;

export const newReplayWindow = (): ReplayWindow => ({ highest: -1, seen: new Int32Array(WORDS) });

/** The word that holds an index, by its low bits: it may have 48. */
const wordOf = (index: number) => (index >>> 5) & (WORDS - 1);

/** Whether an index is new, and not so old that nobody knows. */
export function isFresh({ highest, seen }: ReplayWindow, index: number): boolean {
  if (index > highest) return true;
  if (index < 0 || highest - index >= WINDOW_PACKETS) return false;
  return (seen[wordOf(index)]! & (1 << (index & 31))) === 0;
}

/** Takes an index that is fresh. */
export function take(window: ReplayWindow, index: number): void {
  const { highest, seen } = window;
  if (index > highest) {
    const steps = ((index >>> 5) - (highest >>> 5)) & 0x7ff_ffff;
    for (let i = Math.min(steps, WORDS); i > 0; i--) seen[wordOf(index - 32 * i + 32)] = 0;
    window.highest = index;
  }
  seen[wordOf(index)]! |= 1 << (index & 31);
}

/**
 * The index of a packet by its sequence number: the one next to the highest so far (RFC 3711 §3.3.1),
 * so that the number may wrap; negative when it would lie before the beginning.
 */
export const indexOf = ({ highest }: ReplayWindow, sequence: number): number =>
  highest < 0 ? sequence : highest + ((sequence - highest) << 16 >> 16);
