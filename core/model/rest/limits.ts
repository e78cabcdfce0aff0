/** Bounds of clients that send wrong credentials. */
export const refusalLimits = {
  /** Wrong ones of one user from one network: so many at once, then so many a second. */
  ofUser: 20,
  perUserS: 1,
  /** All from one network. */
  ofNetwork: 100,
  perNetworkS: 10,
  /** Most users, and networks, in memory. */
  known: 10_000,
  /** Most valid credentials in memory, which are not delayed by wrong ones of others. */
  accepted: 10_000,
} as const;

/** Bounds of one tenant's share of the loop; times are in ms. */
export const loopLimits = {
  /** Time between two measurements of the loop's delay, while requests are under way. */
  tickMs: 4,
  /** Least expected cost of a request, cost of an unknown one, and of other work under way. */
  expectedMs: 0.5,
  unknownMs: 5,
  othersMs: 2,
  /** The part of the delay right before the end of a request that is its own. */
  ownPart: 0.75,
  /** Expected cost of one tenant's work under way: beside other tenants, and alone. */
  besideMs: 20,
  aloneMs: 100,
  /** More of it for reports of its live calls, which wait for no other work of their tenant. */
  callsMs: 10,
  /** Expected cost of the work of all anonymous clients under way. */
  strangersMs: 100,
  /** Time that another tenant counts as being there. */
  besideForMs: 5_000,
  /** The part of the time that a tenant may have beside others, and how much of it at once. */
  share: 0.5,
  burstMs: 500,
  /** A request that is under way for so long waits for others: no more cost is expected of it. */
  longMs: 500,
  /** Time that a request may wait for its share, and how many of a tenant may. */
  waitMs: 15_000,
  waiting: 500,
  retryAfterS: 5,
  /** Most tenants, and estimates, in memory. */
  known: 10_000,
} as const;
