/** The text to be said, with voice, language and rate. */
export interface Utterance {
  text: string;
  /** `woman`, `man`, or a name of the engine's own. */
  voice: string;
  /** A language tag such as `en-US`. */
  language: string;
  /** 1 is the ordinary one. */
  speed: number;
  /** The text with elements of SSML, where it has some: for an engine that knows them. */
  ssml?: string;
}

/** Mono 16-bit samples. */
export interface Sound {
  pcm: Int16Array;
  sampleRate: number;
}

/** A text-to-speech engine of this machine. */
export interface SpeechEngine {
  name: string;
  /** Throws a SpeechRefusal for an utterance that it cannot say, another Error when it failed. */
  speak(utterance: Utterance, signal: AbortSignal): Promise<Sound>;
}

/**
 * The recognised text, and how sure the engine is: 0 to 1. A provider that gives no confidence counts as 1,
 * pocketsphinx with hints as 0.6, its dictation as at most 0.4.
 */
export interface Heard {
  text: string;
  confidence: number;
}

/** A speech-recognition engine of this machine. */
export interface RecognitionEngine {
  name: string;
  /**
   * `hints` are phrases of which one is likely to be said; no call waits for a `recording`.
   * Throws as `SpeechEngine.speak`.
   */
  recognise(
    sound: Sound,
    options: { language: string; hints: string[]; kind: "utterance" | "recording" },
    signal: AbortSignal,
  ): Promise<Heard>;
}

/** The request cannot be served as it is, on this machine. */
export class SpeechRefusal extends Error {
  override readonly name = "SpeechRefusal";
}
