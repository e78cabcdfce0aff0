import { z } from "zod";
import { reference } from "../../base/fields.ts";
import { type RecordOf, resource } from "../resource.ts";

/** A call's leg in a conference; its Sid is the call's under another prefix. */
export const participants = resource({
  type: "Participant",
  description: "A call in a conference.",
  path: "Participants",
  sidPrefix: "CP",
  irregular: true,
  fields: {
    callSid: reference("CA").describe("Sid of the Call."),
    conferenceSid: reference("CF").describe("Sid of the Conference."),
    muted: z.boolean().describe("Whether the others cannot hear the participant."),
    hold: z.boolean().describe(
      "Whether the participant is on hold: it neither hears the others nor is heard.",
    ),
    startConferenceOnEnter: z.boolean().describe(
      "Whether the conference starts when the participant joins.",
    ),
    endConferenceOnEnter: z.boolean().describe(
      "Whether the conference ends when the participant leaves.",
    ),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    label: z.string().nullable(),
    /** True when a single participant hears it, and the call of that participant. */
    coaching: z.boolean(),
    callSidToCoach: z.string().nullable(),
  },
  hidden: ["sid", "label", "coaching", "callSidToCoach"],
  filters: { muted: "equals", hold: "equals", conferenceSid: "equals", coaching: "equals" },
  paged: true,
});

export type Participant = RecordOf<typeof participants>;

/** Sid of the leg of a call as a participant. */
export const participantSid = (callSid: string): string =>
  participants.sidPrefix + callSid.slice(2);
