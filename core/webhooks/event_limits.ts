/** The bounds of event streams. */
export const eventLimits = {
  /** Streams that an instance serves at once: of an account, of a tenant, and of all. */
  streamsOfAccount: 20,
  streamsOfTenant: 80,
  streams: 500,
  /** Of all, those that only the root account may take, and tenants for their first one. */
  streamsOfRoot: 20,
  firstStreams: 80,
  /** Most that waits for a slow reader: events, and bytes of their records in the store. */
  waiting: 1_000,
  waitingBytes: 1 << 20,
  /** Events are written together up to so many characters. */
  pieceLength: 32 << 10,
  /** Between two signs of life in ms; with each one the credentials are checked again. */
  beatMs: 15_000,
  /** Pause before a reader connects again, in ms. */
  retryMs: 2_000,
  /** Calls of one stream of levels, and ms between two looks at them. */
  levels: 100,
  levelMs: 250,
  /** Retry-After of a stream that found no place, in seconds. */
  retryAfterS: 10,
} as const;
