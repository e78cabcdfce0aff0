import { pick, type Random } from "../generator.ts";
import { dearFill, type Vocabulary } from "./generate.ts";

/** A reader of text from unauthenticated sources or tenants. */
export interface Parser {
  name: string;
  /** Sizes that it is tried with, in characters or bytes. */
  sizes: readonly number[];
  /** A realistic, valid message, padded to about a size. */
  usual(size: number): unknown;
  /** A message of about a size that is written to cost much. */
  dear(random: Random, size: number): unknown;
  /** Reads either; it may throw for refused input. */
  read(message: never): unknown;
}

export interface TextParser extends Vocabulary {
  name: string;
  sizes?: readonly number[];
  usual(size: number): string;
  /** Messages with a place for a text of a length. */
  slots: readonly ((fill: string) => string)[];
  read(text: string): unknown;
}

const usualSizes = [2_000, 16_000, 60_000];

export const textParser = (parser: TextParser): Parser => ({
  sizes: usualSizes,
  ...parser,
  dear(random, size) {
    const slot = pick(random, parser.slots);
    return slot(dearFill(random, Math.max(1, size - slot("").length), parser));
  },
  read: (text: string) => parser.read(text),
});
