/** Durations in simulated calls. */
export const simulationTimes = {
  /** From the INVITE to the first ring, a refusal, and the answer. */
  ringMs: 500,
  refusalMs: 1_000,
  answerMs: 3_000,
  /** From the answer to the detection of the answerer, and to the end of a machine's greeting. */
  detectionMs: 2_000,
  greetingMs: 4_000,
  /** From the beginning of a Gather to its input. */
  inputS: 2,
  /** A file that is played, and each character that is said. */
  playS: 3,
  characterS: 0.06,
  /** Each key that is sent. */
  keyS: 0.25,
  /** Duration of a Record, of a Dial's conversation, and of a call's stay in a conference. */
  recordS: 3,
  talkS: 5,
  conferenceS: 10,
  referS: 2,
  /** The called side hangs up after this time in any case. */
  longestS: 600,
} as const;

/** Acts of one job, and bounds of a leg. */
export const simulationLimits = {
  actsAtOnce: 50,
  /** Acts of one leg: bounds the requests of a document that leads to itself. */
  acts: 2_000,
  /** Seconds of tone in a recording. */
  recordedS: 60,
  stateLength: 30_000,
} as const;
