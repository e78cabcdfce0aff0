import { type AnyNoun, compileNouns } from "../noun.ts";
import { verb } from "../verb.ts";

/** The nouns of `Start`. */
export const startNouns: readonly AnyNoun[] = [];

/** Begins what goes on beside the document: the script does not wait for it. */
export const start = verb({
  name: "Start",
  attributes: {},
  answers: true,
  hasElements: true,
  compile: (element, _, context) =>
    compileNouns(element, startNouns, { ...context, action: undefined }),
});
