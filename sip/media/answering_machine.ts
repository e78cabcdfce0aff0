import { createBeepDetector } from "./beep.ts";
import type { Pcm } from "./port.ts";
import { FRAME_MS } from "./ticker.ts";
import { createVoiceDetector } from "./voice.ts";

/** Who answered a call, going by the sound. */
export type Answerer = "human" | "machine" | "unknown";

export interface MachineDetectorOptions {
  /** When nothing is known by then, it is `unknown`. */
  timeoutMs: number;
  /** Says `machine` only when its greeting is over: after the beep, or a long pause. */
  untilEnd: boolean;
}

/** People say "hello" and wait: a greeting this long is a machine's. */
const LONG_GREETING = 2_400 / FRAME_MS;
/** A pause that ends the greeting of a person, and that of a machine. */
const PERSON_WAITS = 1_200 / FRAME_MS;
const MACHINE_WAITS = 2_000 / FRAME_MS;
/** Nobody says anything for so long: it may be either. */
const NOBODY_SPEAKS = 5_000 / FRAME_MS;

/**
 * Tells a person from an answering machine by what is heard from the answer on: by the length of the
 * greeting, the pause behind it, and a beep. Takes frame after frame and says who it is once it is
 * known, undefined until then.
 */
export function createMachineDetector(
  { timeoutMs, untilEnd }: MachineDetectorOptions,
): (frame: Pcm) => Answerer | undefined {
  const isSpeech = createVoiceDetector();
  const isBeep = createBeepDetector();
  let frames = 0;
  let first: number | undefined;
  let last = 0;

  return (frame) => {
    frames++;
    if (isSpeech(frame)) {
      first ??= frames;
      last = frames;
    }
    if (isBeep(frame)) return "machine";
    const isOver = frames * FRAME_MS >= timeoutMs;
    if (first === undefined) return isOver || frames >= NOBODY_SPEAKS ? "unknown" : undefined;
    const pause = frames - last;
    if (last - first >= LONG_GREETING) {
      return !untilEnd || isOver || pause >= MACHINE_WAITS ? "machine" : undefined;
    }
    if (pause >= PERSON_WAITS) return "human";
    return isOver ? "unknown" : undefined;
  };
}
