import { newFrame } from "../base/new_frame.ts";
import type { Pcm } from "../base/port.ts";

/*
 * The mix of a conference is turned down within 4 ms where its sum is too loud, and up again within a
 * second: peaks are not clipped.
 */

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** Level that the sum of several voices is turned down to. */
const CEILING = 32_000;
const LOUDEST = 32_767;
/** Samples in which it is turned down: 4 ms. */
const ATTACK = 32;
/** Rise of the gain in a frame: all of it in a second. */
const RELEASE = 0.02;

/**
 * Turns a sum of voices that is too loud down instead of cutting its peaks off, which would be heard
 * as noise; what is not too loud stays as it is.
 */
export interface Limiter {
  /** A frame's sum without one's own part, if any, in a new frame. */
  limit(sum: Int32Array, own?: Pcm): Pcm;
}

export function createLimiter(): Limiter {
  let gain = 1;
  return {
    limit(sum, own) {
      const frame = newFrame();
      let peak = 0;
      for (let i = 0; i < sum.length; i++) {
        const sample = own === undefined ? sum[i]! : sum[i]! - own[i]!;
        frame[i] = sample;
        if (sample > peak) peak = sample;
        else if (-sample > peak) peak = -sample;
      }
      if (gain === 1 && peak <= LOUDEST) return frame;
      const wanted = Math.min(1, CEILING / peak, gain + RELEASE);
      const length = wanted < gain ? ATTACK : sum.length;
      scale(frame, { sum, own, from: gain, to: wanted, length });
      gain = wanted;
      return frame;
    },
  };
}

interface Scaling {
  sum: Int32Array;
  own: Pcm | undefined;
  from: number;
  to: number;
  /** Samples from the one to the other. */
  length: number;
}

function scale(frame: Pcm, { sum, own, from, to, length }: Scaling): void {
  for (let i = 0; i < frame.length; i++) {
    const gain = i < length ? from + (to - from) * (i + 1) / length : to;
    const sample = (sum[i]! - (own?.[i] ?? 0)) * gain;
    frame[i] = Math.max(-LOUDEST, Math.min(LOUDEST, sample));
  }
}
