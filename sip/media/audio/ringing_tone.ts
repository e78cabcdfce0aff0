import type { Pcm } from "../base/port.ts";

const RATE = 8_000;

/** Frequencies in Hz that sound together, then seconds of tone and silence in turn. */
export type ToneCadence = readonly [hz: readonly number[], cadenceS: readonly number[]];

/** Default of ITU-T E.180: 425 Hz for a second, then four of silence. */
const recommended: ToneCadence = [[425], [1, 4]];
/** About -13 dBm0, well below speech; shared by the frequencies of a tone. */
const AMPLITUDE = 5_000;

const made = new WeakMap<ToneCadence, Pcm>();

/**
 * One cadence of the tone that a caller hears while the callee rings, to be played again and again:
 * the recommended one unless another is given.
 */
export function ringingTone(tone: ToneCadence = recommended): Pcm {
  const known = made.get(tone);
  if (known !== undefined) return known;
  const [frequencies, cadence] = tone;
  const pcm: Pcm = new Int16Array(cadence.reduce((sum, seconds) => sum + seconds, 0) * RATE);
  let at = 0;
  for (const [part, seconds] of cadence.entries()) {
    const end = at + Math.round(seconds * RATE);
    if (part % 2 === 0) {
      for (let i = at; i < end; i++) pcm[i] = sampleAt(frequencies, i);
    }
    at = end;
  }
  made.set(tone, pcm);
  return pcm;
}

const sampleAt = (frequencies: readonly number[], i: number): number =>
  Math.round(
    frequencies.reduce((sum, hz) => sum + Math.sin(2 * Math.PI * hz * i / RATE), 0) *
      AMPLITUDE / frequencies.length,
  );
