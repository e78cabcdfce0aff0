/** Every bound of the media engine; milliseconds end in Ms. */
export const mediaLimits = {
  /** Lines of one session description, and candidates taken from it. */
  sdpLines: 2_000,
  candidates: 32,
  mediaSections: 16,
  /** Frames sent in a row to catch up; beyond it the stream is late for good. */
  catchUpFrames: 10,
  /** A pause in our own audio that begins a new talkspurt (RFC 3551 §4.1). */
  talkspurtGapMs: 200,
  /** How long a file may take from the request to its last sample. */
  audioLoadMs: 15_000,
  /** The audio file and the decoded audio kept for the next caller. */
  audioFileBytes: 16 << 20,
  audioCacheBytes: 32 << 20,
  sampleRateMin: 4_000,
  sampleRateMax: 192_000,
  /** Samples resampled before other work gets its turn: about 2 ms. */
  resampleSlice: 4_000,
} as const;
