import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

const RATE = 8_000;
/** Of 32,767: well below speech. */
const MUSIC_PEAK = 3_000;
const BEEP_PEAK = 4_000;

/** Two short rising notes: somebody came. */
export const enterBeep: Pcm = notes([523.25, 783.99]);
/** Two short falling ones: somebody went. */
export const exitBeep: Pcm = notes([783.99, 523.25]);

function notes(pitches: number[]): Pcm {
  const length = RATE * 0.15;
  const fade = RATE * 0.01;
  return Int16Array.from({ length: length * pitches.length }, (_, i) => {
    const at = i % length;
    const level = BEEP_PEAK * Math.min(1, at / fade, (length - at) / fade);
    return level * Math.sin(2 * Math.PI * pitches[Math.floor(i / length)]! * at / RATE);
  });
}

/** Chords of the music, each with the notes that are plucked one after the other, in Hz. */
const chords = [
  [261.63, 329.63, 392, 523.25], // C
  [220, 329.63, 440, 523.25], // A minor
  [220, 349.23, 440, 523.25], // F
  [246.94, 293.66, 392, 493.88], // G
];
const order = [0, 2, 1, 3, 2, 3, 1, 2];
const BEAT = RATE * 0.4;
const NOTE = RATE * 1.2;

let music: Pcm | undefined;

/** The default hold music of conferences: a quiet loop of plucked chords, 12.8 s. */
export function waitMusic(): Pcm {
  return music ??= composed();
}

function composed(): Pcm {
  const sound = new Float32Array(chords.length * order.length * BEAT);
  const plucked = new Map(chords.flat().map((hz) => [hz, pluck(hz)]));
  chords.flatMap((chord) => order.map((which) => chord[which]!)).forEach((hz, beat) => {
    const note = plucked.get(hz)!;
    // The rest of a note at the end is heard at the beginning again.
    for (let i = 0; i < NOTE; i++) sound[(beat * BEAT + i) % sound.length]! += note[i]!;
  });
  let peak = 0;
  for (let i = 0; i < sound.length; i++) peak = Math.max(peak, Math.abs(sound[i]!));
  const pcm = new Int16Array(sound.length);
  for (let i = 0; i < sound.length; i++) pcm[i] = sound[i]! / peak * MUSIC_PEAK;
  return pcm;
}

/** A string that fades away, with a little of its octave. */
function pluck(hz: number): Float32Array {
  const note = new Float32Array(NOTE);
  for (const [pitch, level] of [[hz, 1], [2 * hz, 0.3]] as const) {
    const turn = 2 * Math.cos(2 * Math.PI * pitch / RATE);
    let [before, now] = [0, Math.sin(2 * Math.PI * pitch / RATE)];
    let fade = level;
    for (let i = 0; i < NOTE; i++) {
      note[i]! += now * fade * Math.min(1, i / 80, (NOTE - i) / 800);
      [before, now] = [now, turn * now - before];
      fade *= 0.9996;
    }
  }
  return note;
}
