/** Bounds of clients that send wrong credentials. */
export const refusalLimits = {
  /** Wrong ones of one user from one network: so many at once, then so many a second. */
  ofUser: 20,
  perUserS: 1,
  /** All from one network. */
  ofNetwork: 100,
  perNetworkS: 10,
  /** Users, and networks, that are known. */
  known: 10_000,
  /** Credentials that were right and are known, so that nobody's wrong ones delay them. */
  accepted: 10_000,
} as const;
