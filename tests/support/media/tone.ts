import type { Pcm } from "../../../sip/media/base/port.ts";

/** A sine of some seconds; amplitude 8000 of 32767 unless given. */
export function tone(hz: number, seconds: number, rate = 8_000, amplitude = 8_000): Pcm {
  return Int16Array.from(
    { length: Math.round(seconds * rate) },
    (_, i) => Math.round(amplitude * Math.sin(2 * Math.PI * hz * i / rate)),
  );
}

/** The amplitude of one frequency in samples (Goertzel); whole periods give it exactly. */
export function amplitudeOf(hz: number, samples: ArrayLike<number>, rate = 8_000): number {
  const w = 2 * Math.cos(2 * Math.PI * hz / rate);
  let [a, b] = [0, 0];
  for (let i = 0; i < samples.length; i++) [a, b] = [samples[i]! + w * a - b, a];
  return 2 * Math.sqrt(Math.max(0, a * a + b * b - w * a * b)) / samples.length;
}
