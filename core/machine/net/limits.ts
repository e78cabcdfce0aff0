/** Bounds of everything that listens; milliseconds end in Ms. */
export const netLimits = {
  /** Connections of a process without a readable limit of descriptors. */
  connections: 512,
  /** The part of the descriptors of a process that is for connections. */
  connectionPart: 1 / 2,
  /** The part of the connections that one address may have at most. */
  addressPart: 1 / 2,
  connectionsPerAddress: 1_000,
  /** Connections to the companion's control, and to the speech process. */
  internalConnections: 64,
  /** From the first moment of a connection, or the first byte of a request, to the end of its head. */
  headMs: 15_000,
  headBytes: 32 << 10,
  /** Header fields of a request, and of an answer to one: filling `Headers` is quadratic in them. */
  headFields: 100,
  /** A body may take so long, and then comes at this rate at least. */
  bodyGraceMs: 15_000,
  bodyBytesPerS: 4 << 10,
  /** Between two looks for requests that are too slow. */
  slowLookMs: 1_000,
  /**
   * A connection without a request under way; longer than the proxies' own: nginx 60 s, Caddy 120
   * s.
   */
  idleMs: 130_000,
  tlsHandshakeMs: 15_000,
  /** Between two looks whether connections are still accepted, and how long one may wait for that. */
  acceptLookMs: 1_500,
  acceptMs: 1_000,
  /** Between two lines of the log that no place is left. */
  fullLogMs: 60_000,
  /** Between two lines of the log that a proxy is not in TRUSTED_PROXIES. */
  proxyLogMs: 3_600_000,
  /** Time for which a listener that accepts no more is opened again before it counts as over. */
  reopenMs: 30_000,
  retryAfterS: 10,
  certificatePollMs: 10_000,
} as const;
