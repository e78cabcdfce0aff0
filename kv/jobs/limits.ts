/** The bounds of jobs at once, and of those of an embedded file that are in memory. */
export const jobLimits = {
  /** Of an account's calls that are placed at once. */
  placingCalls: 32,
  /** Jobs of one lane; fewer while all lanes have many. */
  knownOfLane: 1_000,
  knownOfFullLane: 200,
  known: 20_000,
  /** For how long jobs wait until their claim is written, after a kill while some were performed. */
  carefulClaimsMs: 600_000,
};
