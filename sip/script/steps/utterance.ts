import { sipLimits } from "../../base/limits.ts";
import { copiedFrame, type Pcm, type VoiceDetector } from "../../media/mod.ts";

/** Of a frame of sound, in ms. */
const frameMs = 20;
/**
 * Speech begins with so many voiced frames in a row, the 160 ms that the detector adds to every sound
 * among them: a click or a tap has fewer.
 */
const onsetFrames = 15;
/** Within an utterance speech begins anew after so many frames without a voice. */
const restFrames = 10;
/** Frames before the onset that are kept, so that a soft first sound is not lost. */
const keptFrames = onsetFrames + 10;

/** Events of an utterance. */
export interface UtteranceEvents {
  onStart(): void;
  /** It goes on after a rest that did not end it. */
  onResume?(): void;
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
 * Cuts frames into utterances: one ends when no frame had a voice for `pauseMs`
 * (`utterancePauseMs` unless given), or after `longestMs` (`utteranceMs`).
 */
export function createUtterances(
  hasVoice: VoiceDetector,
  { onStart, onResume, onEnd }: UtteranceEvents,
  {
    pauseMs = sipLimits.utterancePauseMs,
    longestMs = sipLimits.utteranceMs,
  }: { pauseMs?: number | undefined; longestMs?: number | undefined } = {},
): Utterances {
  const pauseFrames = pauseMs / frameMs;
  const mostFrames = longestMs / frameMs;
  let frames: Pcm[] = [];
  let isOpen = false;
  let isResting = false;
  let voiced = 0;
  let quiet = 0;

  const open = () => {
    isOpen = true;
    onStart();
  };
  const close = () => {
    const pcm = joined(frames);
    isOpen = isResting = false;
    frames = [];
    onEnd(pcm);
  };
  return {
    take(frame) {
      frames.push(copiedFrame(frame));
      const isVoiced = hasVoice(frame);
      voiced = isVoiced ? voiced + 1 : 0;
      quiet = isVoiced ? 0 : quiet + 1;
      if (isOpen) {
        isResting ||= quiet >= restFrames;
        if (isResting && voiced >= onsetFrames) {
          isResting = false;
          onResume?.();
        }
        if (quiet >= pauseFrames || frames.length >= mostFrames) close();
        return;
      }
      frames = frames.slice(-keptFrames);
      if (voiced >= onsetFrames) open();
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
