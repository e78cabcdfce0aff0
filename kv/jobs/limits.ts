/** How many jobs run at once, and how many of an embedded file are in memory. */
export const jobLimits = {
  /** Calls of one account that are placed at once. */
  placingCalls: 32,
  /** Jobs of one lane; fewer while all lanes have many. */
  knownOfLane: 1_000,
  knownOfFullLane: 200,
  known: 20_000,
  /** The least time between two notes of which jobs are performed, in ms: each one names them all. */
  noteMs: 25,
  /** For how long jobs wait until their claim is written, after a kill while some were performed. */
  carefulClaimsMs: 600_000,
};
