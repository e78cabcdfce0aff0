/** Bounds of the time at which a message is sent. */
export const scheduleLimits = {
  /** Longest time ahead for which a message may be scheduled. */
  aheadMs: 35 * 86_400_000,
  /** Seconds after which a message may be worth nothing, at most. */
  validityMaxS: 86_400,
} as const;
