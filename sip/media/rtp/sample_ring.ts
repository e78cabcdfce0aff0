import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** About a second: more than any packet is early or late and still of use. */
export const RING_SAMPLES = 8_192;
const MASK = RING_SAMPLES - 1;

/**
 * The newest second of a sound whose samples come in any order, each at its position; what is behind
 * is overwritten by what comes.
 */
export interface SampleRing {
  /** Behind the newest position that was filled. */
  readonly end: number;
  /** True where the true sample of a position is here. */
  has(position: number): boolean;
  /** True where those of all positions from one to before another are. */
  hasAll(from: number, to: number): boolean;
  get(position: number): number;
  /** Writes true samples, looked up by the codes of a payload. */
  fill(position: number, codes: Uint8Array, decoded: Pcm): void;
  /** Says that a range that nothing came for is silence, unless it is behind `end`. */
  silence(from: number, to: number): void;
  /** Keeps what was made up for a position, for those that look back. */
  makeUp(position: number, sample: number): void;
  /** Copies a range, whatever is there. */
  copy(from: number, target: Pcm): void;
  /** Forgets what is at and behind a position, which the next sound begins at. */
  truncate(position: number): void;
}

export function createSampleRing(): SampleRing {
  const samples: Pcm = new Int16Array(RING_SAMPLES);
  const present = new Uint8Array(RING_SAMPLES);
  let end = 0;

  const has = (position: number) =>
    position < end && position >= end - RING_SAMPLES && present[position & MASK] === 1;
  const extendTo = (next: number) => {
    for (let i = Math.max(end, next - RING_SAMPLES); i < next; i++) present[i & MASK] = 0;
    end = Math.max(end, next);
  };
  return {
    get end() {
      return end;
    },
    has,
    hasAll(from, to) {
      if (to > end || from < end - RING_SAMPLES) return false;
      for (let i = from; i < to; i++) if (present[i & MASK] === 0) return false;
      return true;
    },
    get: (position) => samples[position & MASK]!,
    fill(position, codes, decoded) {
      extendTo(position);
      end = Math.max(end, position + codes.length);
      for (let i = 0; i < codes.length; i++) {
        const at = (position + i) & MASK;
        samples[at] = decoded[codes[i]!]!;
        present[at] = 1;
      }
    },
    silence(from, to) {
      const first = Math.max(from, end);
      extendTo(to);
      for (let i = first; i < to; i++) {
        samples[i & MASK] = 0;
        present[i & MASK] = 1;
      }
    },
    makeUp(position, sample) {
      samples[position & MASK] = sample;
    },
    copy(from, target) {
      const start = from & MASK;
      const first = Math.min(target.length, RING_SAMPLES - start);
      target.set(samples.subarray(start, start + first));
      if (first < target.length) target.set(samples.subarray(0, target.length - first), first);
    },
    truncate(position) {
      present.fill(0);
      end = position;
    },
  };
}
