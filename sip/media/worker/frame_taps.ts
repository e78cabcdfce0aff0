/**
 * Frames for listeners in the main thread, in memory that returns to the Worker. Frames that V8 had to
 * free made the main thread collect garbage each second or two, while legs waited. There are five groups
 * of listeners, one served each tick. A listener that keeps a frame copies it.
 */
import { FRAME_SAMPLES, type MediaLeg, type Pcm } from "../base/port.ts";

/** Frames of what legs hear, gathered so that few messages bring many. */
export interface Taps {
  add(tap: number, leg: Pick<MediaLeg, "listen">): void;
  remove(tap: number): void;
  /** Hands on what was gathered at once. */
  flush(): void;
  /** Takes memory back that was handed on. */
  reuse(samples: Pcm): void;
}

/** Frames of some taps: so many of each, one after the other; more may follow. */
type HandOn = (taps: { tap: number; frames: number }[], samples: Pcm) => void;

/** Of one tap, with which those of its group are handed on: 0.1 s. */
const mostFrames = 5;

/** Pieces of memory that wait to be used again; there are more only while many are under way. */
const mostSpare = 2 * mostFrames;

interface Tap {
  frames: Pcm[];
  stop: () => void;
}

/** Taps whose frames are handed on together. */
interface Group {
  taps: Map<number, Tap>;
  /** Frames of a tap beyond which that is done. */
  most: number;
}

/**
 * Hands on what taps hear when one of their group has heard 0.1 s. There is a group for each tick of
 * that time, so that not all frames come at once: processing them would delay the audio of the
 * legs.
 */
export function createTaps(handOn: HandOn): Taps {
  const groups = Array.from({ length: mostFrames }, (): Group => ({ taps: new Map(), most: 0 }));
  const spare: Pcm[] = [];
  const pieceOf = (length: number): Pcm => {
    const found = spare.findIndex((piece) => piece.length >= length);
    // The index was found.
    return found < 0 ? new Int16Array(length) : spare.splice(found, 1)[0]!;
  };
  const flush = (group: Group) => {
    group.most = mostFrames;
    handOnAll(group.taps, { handOn, pieceOf });
  };
  return {
    add(tap, leg) {
      const group = groups.reduce((one, other) => other.taps.size < one.taps.size ? other : one);
      // Each group begins with a time of its own, as many taps may begin at once.
      if (group.taps.size === 0) group.most = 1 + groups.indexOf(group);
      const frames: Pcm[] = [];
      const stop = leg.listen((frame) => {
        // All of the group have heard the tick before.
        if (frames.length >= group.most) flush(group);
        frames.push(frame);
      });
      group.taps.set(tap, { frames, stop });
    },
    remove(tap) {
      for (const { taps } of groups) {
        taps.get(tap)?.stop();
        taps.delete(tap);
      }
    },
    flush: () => groups.forEach(flush),
    reuse(samples) {
      // The latest are of the length that is wanted now.
      spare.unshift(samples);
      spare.splice(mostSpare);
    },
  };
}

function handOnAll(
  taps: Map<number, Tap>,
  { handOn, pieceOf }: { handOn: HandOn; pieceOf(length: number): Pcm },
): void {
  const counts: { tap: number; frames: number }[] = [];
  let gathered = 0;
  for (const [tap, { frames }] of taps) {
    if (frames.length === 0) continue;
    counts.push({ tap, frames: frames.length });
    gathered += frames.length;
  }
  if (gathered === 0) return;
  const samples = pieceOf(gathered * FRAME_SAMPLES);
  let at = 0;
  for (const { frames } of taps.values()) {
    for (const frame of frames) {
      samples.set(frame, at);
      at += FRAME_SAMPLES;
    }
    frames.length = 0;
  }
  handOn(counts, samples);
}
