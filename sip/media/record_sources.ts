import { FRAME_SAMPLES, type Pcm, SILENCE } from "./port.ts";

/** Whatever hands on a frame at each tick, such as a leg or the mix of a room; the result ends it. */
export type FrameSource = (onFrame: (frame: Pcm) => void) => () => void;

/** Frames that one source may be ahead of another before the other counts as silent. */
const mostAhead = 5;

/**
 * Hands on what the sources say together, each on a channel of its own, the channels interleaved. The
 * result ends it, after the last of what was said.
 */
export function recordSources(sources: FrameSource[], write: (samples: Pcm) => void): () => void {
  const queues: Pcm[][] = sources.map(() => []);
  const writeOne = () => write(interleave(queues.map((queue) => queue.shift() ?? SILENCE)));
  const stops = sources.map((source, channel) =>
    source((frame) => {
      const queue = queues[channel]!;
      queue.push(frame);
      const isComplete = queues.every(({ length }) => length > 0);
      if (isComplete || queue.length > mostAhead) writeOne();
    })
  );
  return () => {
    for (const stop of stops) stop();
    while (queues.some(({ length }) => length > 0)) writeOne();
  };
}

function interleave(frames: Pcm[]): Pcm {
  const [only] = frames;
  if (frames.length === 1) return only!;
  const samples = new Int16Array(FRAME_SAMPLES * frames.length);
  for (const [channel, frame] of frames.entries()) {
    for (let i = 0; i < FRAME_SAMPLES; i++) samples[i * frames.length + channel] = frame[i]!;
  }
  return samples;
}
