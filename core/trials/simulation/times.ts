/** How long things take in simulated calls. */
export const simulationTimes = {
  /** From the INVITE to the first ring, a refusal, and the answer. */
  ringMs: 500,
  refusalMs: 1_000,
  answerMs: 3_000,
  /** From the answer until it is known who answered, and to the end of a machine's greeting. */
  detectionMs: 2_000,
  greetingMs: 4_000,
  /** From the beginning of a Gather to its input. */
  inputS: 2,
  /** A file that is played, and each character that is said. */
  playS: 3,
  characterS: 0.06,
  /** Each key that is sent. */
  keyS: 0.25,
  /** What is said for a Record, how long a Dial talks, and how long a call stays in a conference. */
  recordS: 3,
  talkS: 5,
  conferenceS: 10,
  referS: 2,
  /** The called side hangs up after so long, whatever it hears. */
  longestS: 600,
} as const;

/** How much one job performs, and what a leg may remember. */
export const simulationLimits = {
  actsAtOnce: 50,
  /** Of one leg: a document that leads to itself without end asks a server no more often. */
  acts: 2_000,
  /** Seconds of tone in a recording. */
  recordedS: 60,
  stateLength: 30_000,
} as const;
