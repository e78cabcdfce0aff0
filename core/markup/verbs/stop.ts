import { type AnyNoun, compileNouns } from "../noun.ts";
import { stopStream } from "../stream.ts";
import { stopTranscription } from "../transcription.ts";
import { verb } from "../verb.ts";

/** The nouns of `Stop`. */
export const stopNouns: readonly AnyNoun[] = [stopStream, stopTranscription];

/** Ends a stream or transcription of a Start. */
export const stop = verb({
  name: "Stop",
  attributes: {},
  answers: false,
  hasElements: true,
  compile: (element, _, context) =>
    compileNouns(element, stopNouns, { ...context, action: undefined }),
});
