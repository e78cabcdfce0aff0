/**
 * Delay of sound before it is played, so that most of it is there in time. It is learnt from the
 * margin of each packet: the samples that are still to be played before its first one. Time is
 * counted in frames played, so that our own lateness counts like the network's.
 */
export interface PlayoutDelay {
  /** The margin that the first packet of a stream should have. */
  readonly first: number;
  /** A packet came with this margin, negative when it was late. */
  note(margin: number): void;
  /** By how many samples playing may wait more than it does, at most. */
  room(): number;
  /** Another frame was played. */
  tick(): void;
  /** Samples by which the delay should grow, or shrink when negative; 0 is right. */
  wanted(): number;
  /** It grew by so many samples. */
  grew(samples: number): void;
  /** Another stream began: its margins are unknown. */
  restart(): void;
}

/**
 * Before anything is known of the network: enough for 40 ms of jitter and one frame. A network with
 * more costs some made-up sound in the first second, where a longer wait would delay every talk.
 */
const FIRST = 480;
const LONGEST = 1_600;
/**
 * A delay is left as it is while the least margin stays in this range. Below a frame any delay of a
 * packet can be too much, as it may come behind our tick; and a period is 160 samples at most.
 */
const TOO_LITTLE = 160;
const TOO_MUCH = 320;
const AIM = 240;

/** Margins are kept for so many spells of so many frames, of which two must have passed. */
const SPELLS = 6;
const SPELL_FRAMES = 50;

interface Spell {
  least: number;
  most: number;
}

export function createPlayoutDelay(): PlayoutDelay {
  let spells: Spell[] = [newSpell()];
  let all = newSpell();
  let frames = 0;
  let first = FIRST;

  const room = () => Math.max(0, Math.min(LONGEST, LONGEST - all.most));
  return {
    get first() {
      return first;
    },
    note(margin) {
      widen(all, margin, margin);
      widen(spells[0]!, margin, margin); // There is always a spell.
    },
    room,
    tick() {
      if (++frames % SPELL_FRAMES !== 0) return;
      const isKnown = spells.length >= 2 && all.least < Infinity;
      if (isKnown) first = Math.min(LONGEST, Math.max(TOO_MUCH, all.most - all.least + AIM));
      spells = [newSpell(), ...spells.slice(0, SPELLS - 1)];
      all = newSpell();
      for (const { least, most } of spells) widen(all, least, most);
    },
    wanted() {
      const margin = all.least;
      if (margin < TOO_LITTLE) return Math.min(AIM - margin, room());
      return margin > TOO_MUCH && margin < Infinity && spells.length > 2 ? AIM - margin : 0;
    },
    grew(samples) {
      for (const spell of [all, ...spells]) {
        spell.least += samples;
        spell.most += samples;
      }
    },
    restart() {
      spells = [newSpell()];
      all = newSpell();
      frames = 0;
    },
  };
}

const newSpell = (): Spell => ({ least: Infinity, most: -Infinity });

function widen(spell: Spell, least: number, most: number): void {
  if (least < spell.least) spell.least = least;
  if (most > spell.most) spell.most = most;
}
