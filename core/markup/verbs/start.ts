import { type AnyNoun, compileNouns } from "../noun.ts";
import { startRecording } from "../recording.ts";
import { startStream } from "../stream.ts";
import { startTranscription } from "../transcription.ts";
import { verb } from "../verb.ts";

/** The nouns of `Start`. */
export const startNouns: readonly AnyNoun[] = [startStream, startRecording, startTranscription];

/**
 * Begins streams, recordings and transcriptions beside the document: the script does not wait for them. It
 * answers no call, so a caller of a Dial behind it hears ringing; its nouns wait for the answer.
 */
export const start = verb({
  name: "Start",
  attributes: {},
  answers: false,
  hasElements: true,
  compile: (element, _, context) =>
    compileNouns(element, startNouns, { ...context, action: undefined }),
});
