/** Bounds of audio streams, and of conversations by text. */
export const streamLimits = {
  /** Streams of one way that a call has at once. */
  copies: 4,
  /** Time limit from a request that starts a stream to the first event of its companion, in ms. */
  heardOfMs: 30_000,
  nameLength: 128,
  /** Parameters of a stream, and characters of a name and its value together. */
  parameters: 99,
  parameterLength: 500,
  /** Of a conversation: silence in ms that ends what a caller says, and voices of languages. */
  pauseMinMs: 300,
  pauseMaxMs: 5_000,
  languages: 50,
} as const;
