/** The bounds of sign-ins and sessions at the console. */
export const consoleLimits = {
  /** A session ends, however much it is used. */
  sessionMs: 12 * 3_600_000,
  /** What waits for its second factor. */
  factorMs: 5 * 60_000,
  /** How exactly the last use of a session is kept: each note of it is a write. */
  seenMs: 60_000,
  /** Sessions of one account; the oldest makes room. */
  sessions: 20,
  /** Failed sign-ins of an account before it is locked for a while. */
  failures: 5,
  /** The first lock; each further failure doubles it. */
  lockMs: 60_000,
  longestLockMs: 3_600_000,
  /** Failed sign-ins of one address within a while. */
  addressFailures: 20,
  addressMs: 15 * 60_000,
  /** Addresses and unknown names that are counted at once. */
  counted: 10_000,
  /** Passwords that are derived at once: each takes a core for about 0.1 s. */
  derivations: 4,
  recoveryCodes: 10,
  /** Characters that are kept of a User-Agent. */
  userAgentLength: 256,
  /** Characters that are kept of the parameters of a change. */
  parametersLength: 4_096,
} as const;
