import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * Between 8 and 16 kHz, frame by frame: a half-band filter, whose memory goes on from one frame to the
 * next. It delays the sound by 1 ms.
 */

/** Input samples at 8 kHz on each side of a sample between two of them. */
const REACH = 8;

/** The taps at half samples, of a sinc in a Hann window; their sum is 1. */
const taps = (() => {
  const all = Array.from({ length: 2 * REACH }, (_, k) => {
    const distance = k - REACH + 0.5;
    const window = 0.5 + 0.5 * Math.cos(Math.PI * distance / REACH);
    return Math.sin(Math.PI * distance) / (Math.PI * distance) * window;
  });
  const sum = all.reduce((total, tap) => total + tap, 0);
  return Float32Array.from(all, (tap) => tap / sum);
})();

const clipped = (sample: number): number => Math.max(-0x8000, Math.min(0x7fff, Math.round(sample)));

/** Frames of 8 kHz as frames of 16 kHz. */
export function createDoubler(): (frame: Pcm) => Pcm {
  const memory = 2 * REACH - 1;
  let before: Pcm = new Int16Array(memory);
  return (frame) => {
    const input: Pcm = new Int16Array(memory + frame.length);
    input.set(before);
    input.set(frame, memory);
    before = input.slice(frame.length);
    const result: Pcm = new Int16Array(2 * frame.length);
    for (let i = 0; i < frame.length; i++) {
      result[2 * i] = input[i + REACH - 1]!;
      let sum = 0;
      for (let k = 0; k < taps.length; k++) sum += taps[k]! * input[i + k]!;
      result[2 * i + 1] = clipped(sum);
    }
    return result;
  };
}

/** Frames of 16 kHz as frames of 8 kHz, without what that cannot hold. */
export function createHalver(): (frame: Pcm) => Pcm {
  const memory = 4 * REACH - 1;
  let before: Pcm = new Int16Array(memory);
  return (frame) => {
    const input: Pcm = new Int16Array(memory + frame.length);
    input.set(before);
    input.set(frame, memory);
    before = input.slice(frame.length);
    const result: Pcm = new Int16Array(frame.length / 2);
    for (let i = 0; i < result.length; i++) {
      const middle = 2 * i + 2 * REACH - 1;
      let sum = input[middle]!;
      for (let k = 0; k < taps.length; k++) sum += taps[k]! * input[2 * i + 2 * k]!;
      result[i] = clipped(sum / 2);
    }
    return result;
  };
}
