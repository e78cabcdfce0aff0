import { FRAME_MS } from "./ticker.ts";
import { FRAME_SAMPLES, type Pcm } from "./port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** The digits in the order of their telephone events (RFC 4733 §3.2). */
export const DIGITS = "0123456789*#ABCD";

/** Lengths of a digit, of the silence after it, and of both pauses, in frames. */
const PRESSED = 100 / FRAME_MS;
const BETWEEN = 60 / FRAME_MS;
const PAUSES: Readonly<Record<string, number>> = { w: 500 / FRAME_MS, W: 1_000 / FRAME_MS };

/** One frame of a digit being sent. */
export interface Pressed {
  code: number;
  part: "first" | "more" | "last";
  /** Frames of it before this one. */
  frame: number;
}

/** Digits frame by frame, undefined in the pauses; throws when a character is none. */
export function pressedFrames(digits: string): Iterator<Pressed | undefined, void> {
  const unknown = /[^0-9*#A-DwW]/.exec(digits)?.[0];
  if (unknown !== undefined) throw new Error(`Cannot send digits: "${unknown}" is none`);
  return frames(digits);
}

function* frames(digits: string): Generator<Pressed | undefined, void> {
  for (const digit of digits) {
    const code = DIGITS.indexOf(digit);
    for (let frame = 0; code >= 0 && frame < PRESSED; frame++) {
      yield { code, frame, part: frame === 0 ? "first" : frame === PRESSED - 1 ? "last" : "more" };
    }
    yield* Array<undefined>(PAUSES[digit] ?? BETWEEN).fill(undefined);
  }
}

/** The two tones of a key, in Hz, by its row and column (ITU-T Q.23). */
export const KEYS = ["123A", "456B", "789C", "*0#D"];
export const ROWS = [697, 770, 852, 941];
export const COLUMNS = [1_209, 1_336, 1_477, 1_633];
/** Each tone's: about -9 dBm0. */
const AMPLITUDE = 8_000;

/** A frame of a digit as the keypad of a telephone sounds. */
export function dualTone({ code, frame }: Pressed): Pcm {
  const row = KEYS.findIndex((keys) => keys.includes(DIGITS[code]!));
  const column = KEYS[row]!.indexOf(DIGITS[code]!);
  return Int16Array.from({ length: FRAME_SAMPLES }, (_, i) => {
    const at = 2 * Math.PI * (frame * FRAME_SAMPLES + i) / 8_000;
    return AMPLITUDE * (Math.sin(ROWS[row]! * at) + Math.sin(COLUMNS[column]! * at));
  });
}
