import { COLUMNS, KEYS, ROWS } from "../../../sip/media/base/digits.ts";
import type { Pcm } from "../../../sip/media/base/port.ts";
import { inTurn, silence } from "./synthetic_speech.ts";

export interface KeyOptions {
  ms?: number;
  /** Of silence after it. */
  pauseMs?: number;
  /** Of the lower tone. */
  amplitude?: number;
  /** Level of the upper tone above the lower one, in dB. */
  twistDb?: number;
  /** Deviation of the two tones, as a fraction of their frequency. */
  off?: [lower: number, upper: number];
}

/** Sound of keys that are pressed one after the other (ITU-T Q.23). */
export function keypad(keys: string, options: KeyOptions = {}): Pcm {
  const { ms = 100, pauseMs = 60, amplitude = 3_000, twistDb = 0, off = [0, 0] } = options;
  const pressed = [...keys].map((key) => {
    const row = KEYS.findIndex((each) => each.includes(key));
    const turn = (hz: number, off: number) => 2 * Math.PI * hz * (1 + off) / 8_000;
    const [lower, upper] = [
      turn(ROWS[row]!, off[0]),
      turn(COLUMNS[KEYS[row]!.indexOf(key)]!, off[1]),
    ];
    const sound = Int16Array.from(
      { length: ms * 8 },
      (_, i) => amplitude * (Math.sin(lower * i) + 10 ** (twistDb / 20) * Math.sin(upper * i + 1)),
    );
    return inTurn(sound, silence(pauseMs / 1_000));
  });
  return inTurn(...pressed);
}
