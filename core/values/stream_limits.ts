/** Bounds of audio streams. */
export const streamLimits = {
  /** Streams of one way that a call has at once. */
  copies: 4,
  nameLength: 128,
  /** Parameters of a stream, and characters of a name and its value together. */
  parameters: 99,
  parameterLength: 500,
} as const;
