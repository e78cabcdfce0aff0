import { resolveUrl, verb, wholeNumber } from "../verb.ts";

/** Plays the audio file at a URL to the caller. */
export const play = verb({
  name: "Play",
  attributes: { loop: wholeNumber({ min: 0, max: 1_000, fallback: 1 }) },
  answers: true,
  compile({ text }, { loop }, context) {
    const url = resolveUrl(text, context);
    if (url !== null && text !== "") return [{ type: "play", url, loop }];
    context.skip(`Play of "${text}": it is no http or https address`);
    return [];
  },
});
