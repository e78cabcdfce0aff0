import type { Pcm } from "../base/port.ts";
import { levelOf } from "./voice.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** The tones of answering machines, in Hz, and the resolution of their detection. */
const LOWEST_HZ = 400;
const HIGHEST_HZ = 2_100;
const STEP_HZ = 50;
const STEPS = (HIGHEST_HZ - LOWEST_HZ) / STEP_HZ + 1;

/** A frame is a tone when it is this loud, and two steps side by side have this part of its power. */
const QUIETEST_DBFS = -35;
const PURITY = 0.75;
/** 200 ms of the same tone are a beep. */
const BEEP_FRAMES = 10;

/** Says of each frame whether a beep has gone on for 200 ms in it: one steady tone and no voice. */
export function createBeepDetector(): (frame: Pcm) => boolean {
  let step: number | undefined;
  let frames = 0;
  return (frame) => {
    const heard = toneStep(frame);
    const goesOn = heard !== undefined && step !== undefined && Math.abs(heard - step) <= 1;
    frames = goesOn ? frames + 1 : heard === undefined ? 0 : 1;
    if (!goesOn) step = heard;
    return frames >= BEEP_FRAMES;
  };
}

/** The step that a frame is a tone of; undefined when it is none. */
function toneStep(frame: Pcm): number | undefined {
  if (levelOf(frame) < QUIETEST_DBFS) return undefined;
  let energy = 0;
  for (let i = 0; i < frame.length; i++) energy += frame[i]! * frame[i]!;
  const powers = Array.from({ length: STEPS }, (_, i) => power(frame, LOWEST_HZ + i * STEP_HZ));
  const best = powers.indexOf(Math.max(...powers));
  const beside = Math.max(powers[best - 1] ?? 0, powers[best + 1] ?? 0);
  return powers[best]! + beside >= PURITY * energy ? best : undefined;
}

/** Share of a frequency in the energy of a frame (Goertzel). */
function power(frame: Pcm, hz: number): number {
  const w = 2 * Math.cos(2 * Math.PI * hz / 8_000);
  let a = 0;
  let b = 0;
  for (let i = 0; i < frame.length; i++) {
    const next = frame[i]! + w * a - b;
    b = a;
    a = next;
  }
  return 2 * (a * a + b * b - w * a * b) / frame.length;
}
