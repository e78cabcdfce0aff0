import { z } from "zod";
import { limits } from "../../base/limits.ts";
import type { SpeechPart } from "../../protocol/speech.ts";
import type { Element } from "../parse.ts";
import { speechParts } from "../ssml.ts";
import { hasTwilioDefaults, languageAttribute, verb, wholeNumber } from "../verb.ts";
import { voiceNamed } from "../voices.ts";

/** Says a text to the caller; SSML may stand in it. */
export const say = verb({
  name: "Say",
  attributes: {
    voice: z.string().trim().regex(/^[\p{L}\w./:-]{1,60}$/u).optional(),
    language: languageAttribute,
    loop: wholeNumber({ min: 0, max: limits.loopMax, fallback: 1 }),
  },
  answers: true,
  hasElements: true,
  compile(element, { voice: wanted, language, loop }, context) {
    const whole = partsOf(element, context.skip);
    const text = textOf(whole);
    const pauseMs = whole.reduce((sum, { silenceMs = 0 }) => sum + silenceMs, 0);
    if (text === "" && pauseMs > 0) return [{ type: "silence", seconds: pauseMs / 1_000 }];
    if (text === "") {
      context.skip("Say: it has no text");
      return [];
    }
    if (text.length > limits.sayLength) {
      context.skip(`the text of Say after ${limits.sayLength} characters: it has ${text.length}`);
    }
    const parts = text.length > limits.sayLength ? cutParts(whole) : whole;
    const named = wanted === undefined ? undefined : voiceNamed(wanted);
    const voice = named?.voice ?? wanted ?? (hasTwilioDefaults(context) ? "man" : "woman");
    return [{
      type: "say",
      text: textOf(parts),
      voice,
      // A voice with a language in its name speaks that language, even if another one is given.
      language: named?.language ?? language,
      ...named && { namedVoice: wanted },
      loop,
      ...element.content !== undefined && { parts },
    }];
  },
});

/** A text without elements is one part: the speaker divides it into sentences. */
function partsOf(element: Element, skip: (what: string) => void): SpeechPart[] {
  if (element.content !== undefined) return speechParts(element, skip);
  const text = element.text.replace(/\s+/g, " ").trim();
  return text === "" ? [] : [{ text }];
}

const textOf = (parts: readonly SpeechPart[]): string =>
  parts.flatMap(({ text }) => text ?? []).join(" ");

/** The parts within the length limit, cut at the end of a word; a cut part loses its SSML. */
function cutParts(parts: readonly SpeechPart[]): SpeechPart[] {
  const kept: SpeechPart[] = [];
  let left: number = limits.sayLength;
  for (const part of parts) {
    const { text = "" } = part;
    if (text.length <= left) kept.push(part);
    else {
      const head = cut(text, left);
      if (head !== "") kept.push({ text: head });
      break;
    }
    left -= text.length + 1;
  }
  return kept;
}

function cut(text: string, length: number): string {
  const most = text.slice(0, Math.max(length, 0));
  return most.includes(" ") ? most.slice(0, most.lastIndexOf(" ")) : most.replace(/\p{Cs}$/u, "");
}
