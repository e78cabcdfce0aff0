import { createBeepDetector } from "./beep.ts";
import type { Pcm } from "../base/port.ts";
import { FRAME_MS } from "../base/ticker.ts";
import { createVoiceDetector } from "./voice.ts";

/*
 * Answering machine detection by three lengths: a greeting of 2.4 s and more, a pause of 1.2 s behind it,
 * and a beep; each can be set for a call. 5 s of silence are `unknown`. Words of greetings were refused:
 * synthetic greetings of companies and of voice mail share no rule that holds. So was a longer wait for the
 * beep: a person who waits says hello again, and is then as long as a machine.
 *
 * Programs for Twilio leave a message after `machine_end_beep` at once, and after `machine_end_silence`
 * too, so the end of a greeting is named as it was detected: a beep of 200 ms, 2 s of silence, or neither
 * before the time limit. Of four long greetings by two synthesizers and two voices, each with a beep after
 * 0.4 s or 1 s or with silence, all are named right on a clean line and over noise, and beeps over an
 * uneven hum too (`tests/sip/media/audio/greetings_test.ts`). A beep later than 2 s after the greeting is
 * not waited for. Silence over an uneven hum may pass for speech until the time limit.
 */

/** Party that answered a call, by its sound. */
export type Answerer = "human" | "machine" | "unknown";

/** Sign of the end of a machine's greeting: `other` is the time limit. */
export type GreetingEnd = "beep" | "silence" | "other";

export interface Detected {
  answeredBy: Answerer;
  /** Of a machine whose greeting was listened to until its end. */
  greetingEnd?: GreetingEnd;
}

export interface MachineDetectorOptions {
  /** Time limit, after which the result is `unknown`. */
  timeoutMs: number;
  /** Says `machine` only when its greeting is over: after the beep, or a long pause. */
  untilEnd: boolean;
  /** People say "hello" and wait: a greeting this long is a machine's. */
  speechThresholdMs: number;
  /** The pause that ends the greeting of a person. */
  speechEndMs: number;
  /** In ms: silence from the answer on, after which it may be either. */
  silenceMs: number;
}

const unknown: Detected = { answeredBy: "unknown" };

/** A pause that ends the greeting of a machine. */
const MACHINE_WAITS_MS = 2_000;

/**
 * Answering machine detection: distinguishes a person from a machine by the length of the greeting, the
 * pause after it, and a beep. Takes the frames since the answer in order; returns undefined until the
 * result is known.
 */
export function createMachineDetector(
  { timeoutMs, untilEnd, speechThresholdMs, speechEndMs, silenceMs }: MachineDetectorOptions,
): (frame: Pcm) => Detected | undefined {
  const isSpeech = createVoiceDetector();
  const isBeep = createBeepDetector();
  let frames = 0;
  let first: number | undefined;
  let last = 0;
  const machine = (greetingEnd: GreetingEnd): Detected => ({
    answeredBy: "machine",
    ...untilEnd && { greetingEnd },
  });

  return (frame) => {
    frames++;
    if (isSpeech(frame)) {
      first ??= frames;
      last = frames;
    }
    if (isBeep(frame)) return machine("beep");
    const passedMs = frames * FRAME_MS;
    const isOver = passedMs >= timeoutMs;
    if (first === undefined) return isOver || passedMs >= silenceMs ? unknown : undefined;
    const pauseMs = (frames - last) * FRAME_MS;
    if ((last - first) * FRAME_MS >= speechThresholdMs) {
      if (pauseMs >= MACHINE_WAITS_MS) return machine("silence");
      return !untilEnd || isOver ? machine("other") : undefined;
    }
    if (pauseMs >= speechEndMs) return { answeredBy: "human" };
    return isOver ? unknown : undefined;
  };
}
