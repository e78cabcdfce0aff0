import { sipLimits } from "../limits.ts";
import type { Pcm } from "../media/port.ts";

/** Of a frame of sound, in ms. */
const frameMs = 20;
/** Speech begins when so many of the last frames have a voice: a click or a tap has fewer. */
const onset = { of: 10, voiced: 6 };
/** What is kept from before that, so that a soft first sound is not lost. */
const framesBefore = 15;

/** What becomes of what somebody says. */
export interface UtteranceEvents {
  onStart(): void;
  /** With all of it, and a little silence on either side. */
  onEnd(pcm: Pcm): void;
}

/** Cuts what a leg hears into utterances. */
export interface Utterances {
  /** One frame of 20 ms. */
  take(frame: Pcm): void;
  /** Of the utterance that goes on, as far as it was heard; 0 between two. */
  readonly samples: number;
  soFar(): Pcm;
}

/**
 * Cuts frames into utterances: one ends when no frame had a voice for `utterancePauseMs`, or after
 * `utteranceMs`.
 */
export function createUtterances(
  hasVoice: (frame: Pcm) => boolean,
  { onStart, onEnd }: UtteranceEvents,
): Utterances {
  const pauseFrames = sipLimits.utterancePauseMs / frameMs;
  const mostFrames = sipLimits.utteranceMs / frameMs;
  let frames: Pcm[] = [];
  let voiced: boolean[] = [];
  let isOpen = false;
  let quiet = 0;

  const open = () => {
    isOpen = true;
    quiet = 0;
    onStart();
  };
  const close = () => {
    const pcm = joined(frames);
    isOpen = false;
    frames = [];
    voiced = [];
    onEnd(pcm);
  };
  return {
    take(frame) {
      const isVoiced = hasVoice(frame);
      frames.push(frame);
      if (!isOpen) {
        frames = frames.slice(-framesBefore);
        voiced = [...voiced, isVoiced].slice(-onset.of);
        if (voiced.filter(Boolean).length >= onset.voiced) open();
        return;
      }
      quiet = isVoiced ? 0 : quiet + 1;
      if (quiet >= pauseFrames || frames.length >= mostFrames) close();
    },
    get samples() {
      return isOpen ? frames.length * frameMs * 8 : 0;
    },
    soFar: () => joined(frames),
  };
}

function joined(frames: readonly Pcm[]): Pcm {
  const pcm: Pcm = new Int16Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    pcm.set(frame, at);
    at += frame.length;
  }
  return pcm;
}
