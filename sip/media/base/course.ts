import { FRAME_SAMPLES, type Pcm } from "./port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** Something that takes time frame by frame, until it is over or stopped. */
export interface Course<T> {
  /** The next frame; undefined when there is none, at which it ends. */
  next(): T | undefined;
  end(): void;
  /** Resolves at the end, however it came. */
  readonly ended: Promise<void>;
}

/** Goes through frames until they are over or the signal aborts; `onEnd` is called then. */
export function course<T>(
  frames: Iterator<T, void>,
  signal: AbortSignal | undefined,
  onEnd: (course: Course<T>) => void,
): Course<T> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = () => {
    signal?.removeEventListener("abort", end);
    onEnd(result);
    resolve();
  };
  const result: Course<T> = {
    ended,
    end,
    next() {
      const { done, value } = frames.next();
      if (!done) return value as T;
      end();
      return undefined;
    },
  };
  signal?.addEventListener("abort", end);
  return result;
}

/**
 * The samples in frames, `loop` times without a gap (0 is for ever), then filled up with zeros. Each is
 * lent until the next: to make one of its own costs more than to fill it.
 */
export function* pcmFrames(pcm: Pcm, loop: number): Generator<Pcm, void> {
  const total = loop === 0 ? Infinity : pcm.length * loop;
  const frame: Pcm = new Int16Array(FRAME_SAMPLES);
  for (let start = 0; start < total; start += FRAME_SAMPLES) {
    const length = Math.min(FRAME_SAMPLES, total - start);
    let at = start % pcm.length;
    for (let i = 0; i < length; i++) {
      frame[i] = pcm[at]!;
      if (++at === pcm.length) at = 0;
    }
    frame.fill(0, length);
    yield frame;
  }
}
