import { copiedFrame } from "../base/new_frame.ts";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";

/** Takes frames, in order. */
export interface FrameSink {
  push(frame: Pcm, isVoice: boolean): void;
  /** No more come. */
  end(): void;
}

/** Frames of silence that are left before the first voice and after the last: 0.2 s. */
const margin = 10;

/**
 * Hands on frames without the silence before the first voice and after the last. `samples` is the
 * length of a frame, of all channels.
 */
export function trimSilence(
  write: (frame: Pcm) => void,
  samples: number = FRAME_SAMPLES,
): FrameSink {
  let silent: Pcm[] = [];
  let hasSpoken = false;
  return {
    push(frame, isVoice) {
      if (isVoice) {
        silent.forEach(write);
        write(frame);
        silent = [];
        hasSpoken = true;
        return;
      }
      silent.push(samples === FRAME_SAMPLES ? copiedFrame(frame) : frame.slice());
      if (!hasSpoken && silent.length > margin) silent.shift();
    },
    end() {
      if (hasSpoken) silent.slice(0, margin).forEach(write);
    },
  };
}
