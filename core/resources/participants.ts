import { z } from "zod";
import { reference } from "../base/fields.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** A call's leg in a conference; its Sid is the call's under another prefix. */
export const participants = resource({
  type: "Participant",
  path: "Participants",
  sidPrefix: "CP",
  irregular: true,
  fields: {
    callSid: reference("CA"),
    conferenceSid: reference("CF"),
    muted: z.boolean(),
    hold: z.boolean(),
    startConferenceOnEnter: z.boolean(),
    endConferenceOnEnter: z.boolean(),
    apiVersion: z.string(),
  },
  hidden: ["sid"],
  filters: { muted: "equals", hold: "equals", conferenceSid: "equals" },
  paged: true,
});

export type Participant = RecordOf<typeof participants>;

/** The Sid under which the leg of a call is kept. */
export const participantSid = (callSid: string): string =>
  participants.sidPrefix + callSid.slice(2);
