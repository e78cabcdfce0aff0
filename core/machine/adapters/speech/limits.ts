/** Every bound of the speech process; milliseconds end in Ms. */
export const speechLimits = {
  /** Characters of one request; callers split longer texts. */
  textLength: 4_096,
  /** Characters of the name of a voice; a longer one is cut. */
  voiceLength: 100,
  requestBytes: 64 << 10,
  /** Of the audio to recognise: over an hour of one channel at 8 kHz. */
  audioBytes: 64 << 20,
  /** Of the speech of one request: over 12 minutes at 22 kHz. */
  soundBytes: 32 << 20,
  speakMs: 15_000,
  /** Time limit of recognition: at least this, and so much for each ms of audio. */
  recogniseMs: 30_000,
  recogniseFactor: 4,
  /** At once; and those that wait for their turn. */
  speaking: 3,
  recognising: 2,
  /**
   * Recordings, and audio longer than an utterance, have places of their own, so that no caller waits for
   * them: as many as the service sends at once. Their niceness gives calls priority.
   */
  utteranceMs: 65_000,
  transcribing: 2,
  transcribingNiceness: 5,
  waiting: 200,
  /** Cache of speech on disk. */
  cacheBytes: 256 << 20,
  /** Phrases of one grammar. */
  hints: 500,
} as const;
