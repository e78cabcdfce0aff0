import type { Pcm } from "../base/port.ts";

/** The level of silence, in dBov. */
export const silentLevel = -127;

/** The full scale of 16 bits, squared. */
const fullPower = 32_768 ** 2;

/** The level of a frame in dBov (RFC 6464 §3): 0 is the loudest, -127 is silence. */
export function levelOf(frame: Pcm): number {
  let power = 0;
  for (const sample of frame) power += sample * sample;
  if (power === 0) return silentLevel;
  return Math.max(silentLevel, Math.round(10 * Math.log10(power / (frame.length * fullPower))));
}
