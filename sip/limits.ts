/** Every bound of the companion's signalling; milliseconds end in Ms, seconds in S. */
export const sipLimits = {
  /** A WebSocket frame and the message in it (RFC 7118 §5). */
  messageBytes: 64 << 10,
  headers: 128,
  headerBytes: 8 << 10,
  /** Ping of an idle socket, and the time it has for its pong. */
  socketIdleS: 60,
  socketCloseMs: 1_000,

  nonceTtlMs: 300_000,
  nonces: 50_000,
  /** Wrong answers to a challenge on one connection before 403. */
  wrongPasswords: 5,
  credentialsTtlMs: 30_000,
  unknownLoginTtlMs: 5_000,
  cachedLogins: 10_000,

  expiresMinS: 60,
  expiresDefaultS: 3_600,
  expiresMaxS: 3_600,
  bindingsPerClient: 10,

  maxForwards: 70,
  retryAfterS: 10,
  /** How long a dialog outlives its connection, for the softphone to come back. */
  reconnectGraceMs: 8_000,
  /** 64*T1: a cancelled INVITE without a final response is given up (RFC 3261 §9.1). */
  cancelGraceMs: 32_000,
  mediaConnectMs: 15_000,

  reportTimeoutMs: 10_000,
  scriptTimeoutMs: 60_000,
  /** A new call is refused when the service has been out of reach for so long. */
  serviceGraceMs: 3_000,
  /** After a heartbeat that the service did not hear, as before it is up. */
  heartbeatRetryMs: 500,
  retryMinMs: 200,
  retryMaxMs: 5_000,
  /** The same while a caller waits for what to do. */
  retryWaitingMaxMs: 1_000,
  /** For so long an ended leg is known, and its `invite` run again is ignored. */
  endedLegMs: 60_000,
  stopMs: 5_000,
} as const;
