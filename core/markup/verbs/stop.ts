import { type AnyNoun, compileNouns } from "../noun.ts";
import { verb } from "../verb.ts";

/** The nouns of `Stop`. */
export const stopNouns: readonly AnyNoun[] = [];

/** Ends what a Start began. */
export const stop = verb({
  name: "Stop",
  attributes: {},
  answers: true,
  hasElements: true,
  compile: (element, _, context) =>
    compileNouns(element, stopNouns, { ...context, action: undefined }),
});
