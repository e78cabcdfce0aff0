import type { Pcm } from "../base/port.ts";

/** Options of the recognition of an utterance. */
export interface RecognitionOptions {
  /** A language tag such as `en-US`, as the caller's application gave it. */
  language: string;
  /** Words and phrases that are likely; empty when nothing is known of what will be said. */
  hints: readonly string[];
  /** Whose tenant's share it counts for. */
  accountSid?: string;
}

/** Recognised text, and its confidence from 0 to 1. */
export interface Recognised {
  text: string;
  confidence: number;
}

/**
 * Makes text of speech. An implementation bounds its own time and the number of utterances that it
 * works on at once.
 */
export interface Recogniser {
  /**
   * The words of one utterance; null when there are none in it. Rejects with an Error that says why
   * it cannot be told, and with the signal's reason when that aborts.
   */
  recognise(
    pcm: Pcm,
    options: RecognitionOptions,
    signal: AbortSignal,
  ): Promise<Recognised | null>;
}

/** A recogniser whose work counts for the tenant of an account. */
export const forAccount = (recogniser: Recogniser, accountSid: string): Recogniser => ({
  recognise: (pcm, options, signal) =>
    recogniser.recognise(pcm, { ...options, accountSid }, signal),
});
