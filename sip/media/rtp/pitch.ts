import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** Periods that are looked for, in samples: of 200 down to 50 Hz. */
const SHORTEST = 40;
export const LONGEST_PERIOD = 160;

/** Samples that are compared. */
export const COMPARED = 120;

/** The mean square below which there is nothing to match. */
const QUIET = 30 ** 2;

/**
 * How many samples before `at` the sound was most like what it is from `at` on: a whole number of
 * periods of a voice. The longest where all is quiet. Reads from `at - LONGEST_PERIOD` to
 * `at + COMPARED`.
 */
export function periodBefore(pcm: Pcm, at: number): number {
  const energy = energyFrom(pcm, at);
  if (energy < QUIET * COMPARED) return LONGEST_PERIOD;
  let best = LONGEST_PERIOD;
  let bestScore = -Infinity;
  let before = energyFrom(pcm, at - SHORTEST);
  for (let lag = SHORTEST; lag <= LONGEST_PERIOD; lag++) {
    let product = 0;
    for (let i = 0; i < COMPARED; i++) product += pcm[at + i]! * pcm[at - lag + i]!;
    const score = product / Math.sqrt(before + 1);
    if (score > bestScore) {
      bestScore = score;
      best = lag;
    }
    before += square(pcm[at - lag - 1] ?? 0) - square(pcm[at - lag + COMPARED - 1]!);
  }
  return best;
}

const square = (sample: number) => sample * sample;

function energyFrom(pcm: Pcm, at: number): number {
  let energy = 0;
  for (let i = 0; i < COMPARED; i++) energy += square(pcm[at + i]!);
  return energy;
}
