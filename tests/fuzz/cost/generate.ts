import { pick, type Random } from "../generator.ts";

/** Texts that are written to cost a parser as much as their length allows. */

/** Words that a parser looks for: they begin, end or separate something. */
export interface Vocabulary {
  words: readonly string[];
  /** Opening and closing words, for nesting. */
  pairs?: readonly (readonly [open: string, close: string])[];
  /** A valid text, pieces of which are repeated. */
  sample: string;
}

type Fill = (random: Random, length: number, vocabulary: Vocabulary) => string;

const repeat = (text: string, length: number): string =>
  text === "" ? "" : text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** A piece of the sample, or a few words. */
function piece(random: Random, { words, sample }: Vocabulary): string {
  if (sample !== "" && random(2) === 0) {
    const at = random(sample.length);
    return sample.slice(at, at + 1 + random(24));
  }
  return Array.from({ length: 1 + random(3) }, () => pick(random, words)).join("");
}

/** `#` stands for a number that counts. */
const counted = (text: string, n: number) => text.replaceAll("#", String(n));

const fills: Fill[] = [
  (random, length, { words }) => repeat(pick(random, words), length),
  (random, length, vocabulary) => repeat(piece(random, vocabulary), length),
  function twoRuns(random, length, vocabulary) {
    const [one, other] = [piece(random, vocabulary), piece(random, vocabulary)];
    return repeat(one, length >> 1) + repeat(other, length - (length >> 1));
  },
  function almost(random, length, vocabulary) {
    const [begin, middle, end] = [
      piece(random, vocabulary),
      piece(random, vocabulary),
      piece(random, vocabulary),
    ];
    return begin + repeat(middle, Math.max(0, length - begin.length - end.length)) + end;
  },
  function numbered(random, length, vocabulary) {
    const template = `${piece(random, vocabulary)}#${piece(random, vocabulary)}`;
    const parts: string[] = [];
    let size = 0;
    for (let n = 0; size < length; n++) {
      parts.push(counted(template, n));
      size += parts.at(-1)!.length;
    }
    return parts.join("").slice(0, length);
  },
  function nested(random, length, vocabulary) {
    const { pairs = [], words } = vocabulary;
    if (pairs.length === 0) return repeat(pick(random, words), length);
    const some = Array.from({ length: 1 + random(3) }, () => pick(random, pairs));
    const most = [random(2) === 0 ? 1 + random(64) : length][0]!;
    let [open, close, n] = ["", "", 0];
    while (open.length + close.length < length && n < most) {
      const [begin, end] = some[n++ % some.length]!;
      [open, close] = [open + counted(begin, n), counted(end, n) + close];
    }
    const within = length - open.length - close.length;
    const inside = within <= 0 ? "" : pick(random, fills.slice(0, 5))(random, within, vocabulary);
    return random(8) === 0 ? open + inside : open + inside + close;
  },
];

/** A text of at most so many characters. */
export const dearFill = (random: Random, length: number, vocabulary: Vocabulary): string =>
  pick(random, fills)(random, length, vocabulary).slice(0, length);

/** Text as people write it. */
export const usualText = (length: number): string =>
  repeat("The quick brown fox jumps over the lazy dog, and 12 more. ", length);
