import { COMPARED, LONGEST_PERIOD, periodBefore } from "./pitch.ts";
import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** Samples before a gap that concealment looks at. */
export const HISTORY_SAMPLES = LONGEST_PERIOD + COMPARED;

/** From here on, in samples after the beginning of a gap, the sound fades, and here it is gone. */
const FADE_FROM = 80;
const FADED = 480;
/** Over so many samples true sound takes over from what was made up. */
const BLEND_SAMPLES = 40;

/** Fills gaps in a sound: its last period goes on and fades away (after G.711 Appendix I). */
export interface Concealment {
  /** True where a gap goes on; then `begin` is for nothing. */
  readonly active: boolean;
  /** True where nothing is left to hear. */
  readonly faded: boolean;
  /** A gap begins behind this history of `HISTORY_SAMPLES`. */
  begin(history: Pcm): void;
  /** The next sample in the gap. */
  next(): number;
  /** A true sample behind the gap, of which the first ones are blended in. */
  blend(sample: number): number;
}

export function createConcealment(): Concealment {
  const period: Pcm = new Int16Array(LONGEST_PERIOD);
  let length = 0;
  let made = 0;
  let blended = 0;
  let active = false;

  const next = () => {
    const gain = made < FADE_FROM ? 1 : Math.max(0, (FADED - made) / (FADED - FADE_FROM));
    return gain === 0 ? 0 : period[made++ % length]! * gain;
  };
  return {
    get active() {
      return active;
    },
    get faded() {
      return active && made >= FADED;
    },
    begin(history) {
      length = periodBefore(history, LONGEST_PERIOD);
      period.set(history.subarray(HISTORY_SAMPLES - length));
      made = blended = 0;
      active = true;
    },
    next() {
      blended = 0;
      return next();
    },
    blend(sample) {
      if (++blended >= BLEND_SAMPLES) active = false;
      const part = blended / BLEND_SAMPLES;
      return sample * part + next() * (1 - part);
    },
  };
}
