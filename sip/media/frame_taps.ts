import { FRAME_SAMPLES, type MediaLeg, type Pcm } from "./port.ts";

/** Frames of what legs hear, gathered so that few messages bring many. */
export interface Taps {
  add(tap: number, leg: Pick<MediaLeg, "listen">): void;
  remove(tap: number): void;
  /** Hands on what was gathered at once. */
  flush(): void;
}

/** What was gathered of some taps: so many frames of each, one after the other. */
type HandOn = (taps: { tap: number; frames: number }[], samples: Pcm) => void;

/** Of one tap, at which all are handed on: 0.1 s. */
const mostFrames = 5;

/** Hands on what taps hear when one of them has heard 0.1 s. */
export function createTaps(handOn: HandOn): Taps {
  const taps = new Map<number, { frames: Pcm[]; stop: () => void }>();
  let gathered = 0;

  const flush = () => {
    if (gathered === 0) return;
    const samples = new Int16Array(gathered * FRAME_SAMPLES);
    const counts: { tap: number; frames: number }[] = [];
    let at = 0;
    for (const [tap, heard] of taps) {
      if (heard.frames.length === 0) continue;
      counts.push({ tap, frames: heard.frames.length });
      for (const frame of heard.frames) {
        samples.set(frame, at);
        at += FRAME_SAMPLES;
      }
      heard.frames = [];
    }
    gathered = 0;
    handOn(counts, samples);
  };
  return {
    add(tap, leg) {
      const heard = { frames: [] as Pcm[], stop: () => {} };
      taps.set(tap, heard);
      heard.stop = leg.listen((frame) => {
        heard.frames.push(frame);
        gathered++;
        if (heard.frames.length === mostFrames) flush();
      });
    },
    remove(tap) {
      const heard = taps.get(tap);
      if (heard === undefined) return;
      heard.stop();
      taps.delete(tap);
      gathered -= heard.frames.length;
    },
    flush,
  };
}
