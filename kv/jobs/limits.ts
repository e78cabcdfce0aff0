/**
 * Bounds of jobs. 32 calls of an account are placed at once: the creates of one commit wait once at most. A
 * placing job ends when the companion has taken the order, and its record is written with that end, so POST
 * to INVITE of 100 at once took 479 ms in place of 1,099 on a slow machine. A cancellation that comes
 * before is found when the job reads the record after the companion has answered; one that comes later goes
 * to the companion.
 */
export const jobLimits = {
  /** Calls of one account that are placed at once. */
  placingCalls: 32,
  /** Jobs of all lanes of a pool whose server is the operator's; half of them of one tenant. */
  narrowPools: {
    email: 16,
    geolocation: 16,
    transcription: 16,
    triggers: 16,
    erasures: 16,
  } as Record<
    string,
    number | undefined
  >,
  /** Jobs of one lane; fewer while all lanes have many. */
  knownOfLane: 1_000,
  knownOfFullLane: 200,
  known: 20_000,
  /** The least time between two notes of which jobs are performed, in ms: each one names them all. */
  noteMs: 25,
  /** Time that a shared store was well again before jobs are claimed, in ms. */
  settlingMs: 2_000,
  /** For how long jobs wait until their claim is written, after a kill while some were performed. */
  carefulClaimsMs: 600_000,
};
