import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { languageAttribute, verb, wholeNumber } from "../verb.ts";

/** Says a text to the caller. */
export const say = verb({
  name: "Say",
  attributes: {
    voice: z.string().trim().regex(/^[\w./:-]{1,40}$/).optional()
      .transform((voice) => voice ?? "woman"),
    language: languageAttribute,
    loop: wholeNumber({ min: 0, max: limits.loopMax, fallback: 1 }),
  },
  answers: true,
  compile({ text }, { voice, language, loop }, context) {
    const whole = text.replace(/\s+/g, " ").trim();
    if (whole === "") {
      context.skip("Say: it has no text");
      return [];
    }
    if (whole.length > limits.sayLength) {
      context.skip(`the text of Say after ${limits.sayLength} characters: it has ${whole.length}`);
    }
    return [{ type: "say", text: cut(whole), voice, language, loop }];
  },
});

/** What may be said of a text, up to the end of a word. */
function cut(text: string): string {
  if (text.length <= limits.sayLength) return text;
  const most = text.slice(0, limits.sayLength);
  return most.includes(" ") ? most.slice(0, most.lastIndexOf(" ")) : most.replace(/\p{Cs}$/u, "");
}
