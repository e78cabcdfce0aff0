import type { Pcm } from "../base/port.ts";

const RATE = 8_000;
/** What ITU-T E.180 recommends: 425 Hz, a second long, then four of silence. */
const HZ = 425;
const TONE_S = 1;
const CADENCE_S = 5;
/** About -13 dBm0, well below speech. */
const AMPLITUDE = 5_000;

let samples: Pcm | undefined;

/** One cadence of the tone that a caller hears while the callee rings, to be played again and again. */
export function ringingTone(): Pcm {
  return samples ??= Int16Array.from(
    { length: CADENCE_S * RATE },
    (_, i) => i < TONE_S * RATE ? Math.round(AMPLITUDE * Math.sin(2 * Math.PI * HZ * i / RATE)) : 0,
  );
}
