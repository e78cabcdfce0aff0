import { z } from "zod";
import { type RecordOf, resource } from "../../resource.ts";

/**
 * A live leg of a test account, which no companion has: jobs of the service perform its script.
 * Internal: no interface shows it, and it goes when the leg ends.
 */
export const simulatedLegs = resource({
  type: "SimulatedLeg",
  description: "A live leg of a call of a test account.",
  path: "SimulatedLegs",
  sidPrefix: "TL",
  irregular: true,
  internal: true,
  fields: {
    callSid: z.string(),
    /** Counts the jobs of the leg: a job of another turn does nothing. */
    turn: z.number().int(),
    /** Of its next report. */
    seq: z.number().int(),
    /** Time of its last act, in ms; of a sped-up leg, ahead of the clock. */
    clock: z.number(),
    /** Time of its next act, in ms. */
    due: z.number(),
    isReal: z.boolean(),
    /** The Conference that it is in. */
    conferenceSid: z.string().nullable(),
    /** Its script and where it stands (`core/trials/simulation/leg.ts`), as JSON. */
    state: z.string(),
  },
  unique: ["callSid"],
  groups: { conference: ({ conferenceSid }) => conferenceSid },
});

export type SimulatedLeg = RecordOf<typeof simulatedLegs>;
