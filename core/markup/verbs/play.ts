import { limits } from "../../base/limits.ts";
import { digitsAttribute, resolveUrl, verb, wholeNumber } from "../verb.ts";

/** Plays the audio file at a URL to the caller, or sends digits in place of it. */
export const play = verb({
  name: "Play",
  attributes: {
    loop: wholeNumber({ min: 0, max: limits.loopMax, fallback: 1 }),
    digits: digitsAttribute,
  },
  answers: true,
  compile({ text }, { loop, digits }, context) {
    if (digits !== undefined) return [{ type: "digits", digits, loop }];
    const url = resolveUrl(text, context);
    if (url !== null && text !== "") return [{ type: "play", url, loop }];
    context.skip(`Play of "${text}": it is no http or https address`);
    return [];
  },
});
