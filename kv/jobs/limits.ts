/** The bounds of the jobs of an embedded file that are in memory. */
export const jobLimits = {
  /** Jobs of one lane; fewer while all lanes have many. */
  knownOfLane: 1_000,
  knownOfFullLane: 200,
  known: 20_000,
  /** For how long jobs wait until their claim is written, after a kill while some were performed. */
  carefulClaimsMs: 600_000,
};
