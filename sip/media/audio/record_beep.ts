import type { Pcm } from "../base/port.ts";

/** The beep before a recording: 1000 Hz for 0.3 s, faded in and out to avoid clicks. */
export const recordBeep: Pcm = Int16Array.from({ length: 2_400 }, (_, i) => {
  const fade = Math.min(1, i / 80, (2_399 - i) / 80);
  return Math.round(8_000 * fade * Math.sin(2 * Math.PI * 1_000 * i / 8_000));
});
