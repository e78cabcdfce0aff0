/** The bounds of sign-ins and sessions at the console. */
export const consoleLimits = {
  /** Longest session, also of one in use. */
  sessionMs: 12 * 3_600_000,
  /** Time for the second factor, in ms. */
  factorMs: 5 * 60_000,
  /** Precision of the last use of a session: each note of it is a write. */
  seenMs: 60_000,
  /** Sessions of one account; the oldest makes room. */
  sessions: 20,
  /** Wrong codes of the second factor from one network before that network is locked for a while. */
  wrongCodes: 5,
  /** The first lock; each further wrong code doubles it. */
  lockMs: 60_000,
  longestLockMs: 3_600_000,
  /**
   * Wrong codes within `codesMs`, from all networks. Beyond them codes count from networks alone in
   * which one was right before; recovery codes count from everywhere.
   */
  allWrongCodes: 100,
  codesMs: 24 * 3_600_000,
  /** Networks remembered in which a code was right. */
  codeNetworks: 10,
  /** Passwords that are derived at once: each takes a core for about 0.1 s. */
  derivations: 4,
  /** Sign-ins that wait for a derivation. */
  waitingDerivations: 64,
  /** Derivations of one network that run or wait. */
  networkDerivations: 4,
  /** Failed sign-ins of an account within `auditedMs` that have an entry in its audit log each. */
  auditedFailures: 5,
  auditedMs: 3_600_000,
  /** Accounts whose failed sign-ins are counted at once. */
  auditedAccounts: 10_000,
  recoveryCodes: 10,
  /** Stored characters of a User-Agent. */
  userAgentLength: 256,
  /** Stored characters of the parameters of a change. */
  parametersLength: 4_096,
} as const;

/**
 * Failed sign-ins: five at once for a name from one network, then one a minute; twenty at once for a
 * network, then twenty in 15 minutes.
 */
export const signInRefusals = {
  ofUser: 5,
  perUserS: 1 / 60,
  ofNetwork: 20,
  perNetworkS: 20 / (15 * 60),
  known: 10_000,
  accepted: 1_000,
} as const;
