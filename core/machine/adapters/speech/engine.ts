/** What is to be said, and how. */
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

/** What makes speech of text on this machine. */
export interface SpeechEngine {
  name: string;
  /** Throws a SpeechRefusal when it cannot say it as asked, another Error when it failed. */
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

/** What makes text of speech on this machine. */
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
