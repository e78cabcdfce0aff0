import { mediaLimits } from "../base/limits.ts";
import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** Zero crossings of the sinc on each side of a sample, at the lower of the two rates. */
const CROSSINGS = 16;
/** Positions between two input samples that have a filter of their own. */
const PHASES = 256;
/** The pass band's share of the lower Nyquist frequency; the rest is the filter's slope. */
const PASS_BAND = 0.94;

/**
 * Mono samples at another rate, by a Hann-windowed sinc. It gives way to other work between slices,
 * so that a long prompt does not hold up the frames of running calls.
 */
export async function resample(samples: Float32Array, from: number, to: number): Promise<Pcm> {
  const filter = createFilter(from, to);
  const result = new Int16Array(Math.floor(samples.length * to / from));
  const step = from / to;
  for (let start = 0; start < result.length; start += mediaLimits.resampleSlice) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve, 0));
    const end = Math.min(start + mediaLimits.resampleSlice, result.length);
    for (let i = start; i < end; i++) result[i] = toInt16(filter(samples, i * step));
  }
  return result;
}

/** A sample of full scale 1 as 16 bits, clipped. */
export const toInt16 = (sample: number): number =>
  Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff);

/** A function that reads a signal at a position between samples; nothing is beyond its ends. */
function createFilter(from: number, to: number) {
  if (from === to) return (samples: Float32Array, position: number) => samples[position] ?? 0;
  const band = Math.min(1, to / from);
  const reach = Math.ceil(CROSSINGS / band);
  const phases = Array.from(
    { length: PHASES },
    (_, phase) => coefficients(phase / PHASES, reach, band * PASS_BAND),
  );
  return (samples: Float32Array, position: number) => {
    const base = Math.floor(position);
    const taps = phases[Math.floor((position - base) * PHASES)]!;
    const first = base - reach + 1;
    const end = Math.min(taps.length, samples.length - first);
    let sum = 0;
    for (let k = Math.max(0, -first); k < end; k++) sum += samples[first + k]! * taps[k]!;
    return sum;
  };
}

/** The taps of one phase, their sum 1 so that a constant stays as loud as it was. */
function coefficients(phase: number, reach: number, cutoff: number): Float32Array {
  const taps = new Float32Array(2 * reach);
  let sum = 0;
  for (let k = 0; k < taps.length; k++) {
    const distance = k - reach + 1 - phase;
    const angle = Math.PI * distance * cutoff;
    const window = 0.5 + 0.5 * Math.cos(Math.PI * Math.min(1, Math.abs(distance) / reach));
    taps[k] = (angle === 0 ? 1 : Math.sin(angle) / angle) * window;
    sum += taps[k]!;
  }
  return taps.map((tap) => tap / sum);
}
