import { FRAME_SAMPLES, type Pcm } from "./port.ts";

/** Frames that share one piece of memory: keeping one keeps all, 10 kB. */
const PIECE_FRAMES = 32;

let piece: Pcm = new Int16Array(PIECE_FRAMES * FRAME_SAMPLES);
let used = 0;

/**
 * A frame of zeros. V8 has each buffer that is longer than 64 bytes outside of its heap, which costs
 * more than to fill a frame, and begins to look for garbage where there are many.
 */
export function newFrame(): Pcm {
  if (used === piece.length) {
    piece = new Int16Array(PIECE_FRAMES * FRAME_SAMPLES);
    used = 0;
  }
  return piece.subarray(used, used += FRAME_SAMPLES);
}

/** A copy of a frame that is not to be kept itself. */
export function copiedFrame(frame: Pcm): Pcm {
  const copy = newFrame();
  copy.set(frame);
  return copy;
}
