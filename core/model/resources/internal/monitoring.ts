import { z } from "zod";
import { companion } from "../../../protocol/companion.ts";

/** What a call listens to, and the companion that has it. */
const monitoring = z.object({
  callSid: z.string().nullable(),
  conferenceSid: z.string().nullable(),
  companion,
});

/** A call that listens to another call or a conference, or did. */
export const monitorEntry = z.object({
  callSid: z.string(),
  /** The Client that it rings. */
  to: z.string(),
  /** When it was placed, in ms. */
  at: z.number(),
});

export type MonitorEntry = z.infer<typeof monitorEntry>;

/** What a Call keeps of listening. */
export const monitoringFields = {
  /** What it listens to, and the companion that has that; null of any other call. */
  monitoring: monitoring.nullable(),
  /** The latest calls that listen to it, or did. */
  monitors: z.array(monitorEntry),
};

/** How many of them a record names at most: the latest. */
export const monitorsKept = 20;

export type Monitoring = z.infer<typeof monitoring>;

/** What listening to a call or a conference takes. */
export const monitorParams = z.object({
  to: z.string().trim().regex(/^client:[A-Za-z0-9\-._+]{1,64}$/, "must be client: and a Login")
    .describe(
      "The Client whose phones ring: client: and the Login of a Client of the account.",
    ),
});
