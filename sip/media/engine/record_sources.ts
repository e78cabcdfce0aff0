import { FRAME_SAMPLES, type Pcm, SILENCE, type WriteSamples } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * Whatever hands on a frame at each tick, such as a leg or the mix of a conference; the result ends
 * it.
 */
export type FrameSource = (onFrame: (frame: Pcm) => void) => () => void;

/** Frames in a piece of a recording: 0.5 s. */
const pieceFrames = 25;

/** Frames that one source may be ahead of another before the other counts as silent. */
const mostAhead = 5;

/**
 * Hands on what the sources say together, each on a channel of its own, the channels interleaved. The
 * result ends it, after the last of what was said.
 */
export function recordSources(sources: FrameSource[], write: WriteSamples): () => void {
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

/** Both channels of a recording: audio of the peer, and audio that it is sent. */
export const bothSides = (
  { listen, tap }: {
    listen: FrameSource;
    tap(track: "outbound", onFrame: (frame: Pcm) => void): () => void;
  },
): FrameSource[] => [listen, (onFrame) => tap("outbound", onFrame)];

/** The same in pieces of 0.5 s, as the media port has it. */
export function record(sources: FrameSource[], write: WriteSamples): () => Promise<void> {
  const samples = pieceFrames * FRAME_SAMPLES * sources.length;
  let piece: Pcm = new Int16Array(samples);
  let filled = 0;
  const handOn = () => {
    if (filled > 0) write(piece.subarray(0, filled));
    piece = new Int16Array(samples);
    filled = 0;
  };
  const stop = recordSources(sources, (frames) => {
    piece.set(frames, filled);
    filled += frames.length;
    if (filled === samples) handOn();
  });
  return () => {
    stop();
    handOn();
    return Promise.resolve();
  };
}

function interleave(frames: Pcm[]): Pcm {
  const [only] = frames;
  if (only !== undefined && frames.length === 1) return only;
  const samples = new Int16Array(FRAME_SAMPLES * frames.length);
  for (const [channel, frame] of frames.entries()) {
    for (let i = 0; i < FRAME_SAMPLES; i++) samples[i * frames.length + channel] = frame[i]!;
  }
  return samples;
}
