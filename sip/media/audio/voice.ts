import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * Says of each frame, in order, whether somebody speaks in it. It goes by the level alone: what is well
 * above the noise that was there for the last two seconds. Two frames in a row begin speech, and gaps
 * of up to 160 ms, as there are in words, belong to it. Whatever is louder than -37 dBFS counts as
 * speech, however steady.
 */
export type VoiceDetector = (frame: Pcm) => boolean;

/** In dB below the loudest sample there is: what is never speech, and what noise can be at most. */
const QUIETEST_SPEECH = -50;
const QUIETEST_NOISE = -65;
const LOUDEST_NOISE = -45;
/** Least distance of speech to noise, in dB. */
const ABOVE_NOISE = 8;

/** In frames: what begins speech, and what it bridges. */
const ONSET = 2;
const HANGOVER = 8;
/** The noise is the least level of so many spells of so many frames. */
const SPELLS = 4;
const SPELL_FRAMES = 25;

export function createVoiceDetector(): VoiceDetector {
  let spells: number[] = [];
  let frames = 0;
  let loud = 0;
  let hangover = 0;

  const noise = () => Math.max(QUIETEST_NOISE, Math.min(LOUDEST_NOISE, ...spells));
  const learn = (level: number) => {
    if (frames++ % SPELL_FRAMES === 0) spells = [level, ...spells.slice(0, SPELLS - 1)];
    else spells[0] = Math.min(spells[0]!, level);
  };
  return (frame) => {
    const level = levelOf(frame);
    learn(level);
    const isLoud = level >= Math.max(QUIETEST_SPEECH, noise() + ABOVE_NOISE);
    loud = isLoud ? loud + 1 : 0;
    if (loud >= ONSET) hangover = HANGOVER;
    else if (hangover > 0) hangover--;
    return hangover > 0;
  };
}

const FULL_SCALE = 32_768;

/** The level of a frame in dBFS, without its offset; -100 for digital silence. */
export function levelOf(frame: Pcm): number {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < frame.length; i++) {
    sum += frame[i]!;
    squares += frame[i]! * frame[i]!;
  }
  const meanSquare = squares / frame.length - (sum / frame.length) ** 2;
  return meanSquare < 1 ? -100 : 10 * Math.log10(meanSquare / FULL_SCALE ** 2);
}
