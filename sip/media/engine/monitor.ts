import { createLimiter } from "../audio/limiter.ts";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";
import type { MixedMedia } from "./mixer.ts";
import { type FrameSource, recordSources } from "./record_sources.ts";

// `!` follows indexes that a loop keeps within their array.

/** Frames that wait for a listener at most, as its ticks are not those of the sources: 0.1 s. */
const mostWaiting = 5;

/**
 * Has a leg hear what sources say together, and say nothing to them. Takes the place of what it is fed
 * and of a join. The result ends it.
 */
export function monitor(listener: Pick<MixedMedia, "feed">, sources: FrameSource[]): () => void {
  const waiting: Pcm[] = [];
  const limiter = createLimiter();
  const stop = recordSources(sources, (frames) => {
    waiting.push(limiter.limit(sumOf(frames, sources.length)));
    if (waiting.length > mostWaiting) waiting.shift();
  });
  const stopFeed = listener.feed(() => waiting.shift());
  return () => {
    stop();
    stopFeed();
  };
}

/** The sum of interleaved channels. */
function sumOf(frames: Pcm, channels: number): Int32Array {
  const sum = new Int32Array(FRAME_SAMPLES);
  for (const [at, sample] of frames.entries()) sum[Math.floor(at / channels)]! += sample;
  return sum;
}
