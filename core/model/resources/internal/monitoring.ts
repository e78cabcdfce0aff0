import { z } from "zod";
import { companion } from "../../../protocol/companion.ts";

/** Call or conference that a call listens to, and the companion that has it. */
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
  /** Time at which it was placed, in ms. */
  at: z.number(),
});

export type MonitorEntry = z.infer<typeof monitorEntry>;

/** Monitoring as a Call's record has it. */
export const monitoringFields = {
  /** Target that it listens to, and the companion that has it; null of any other call. */
  monitoring: monitoring.nullable(),
  /** The latest calls that listen to it, or did. */
  monitors: z.array(monitorEntry),
};

/** Most monitors that a record names: the latest. */
export const mostMonitors = 20;

export type Monitoring = z.infer<typeof monitoring>;

/** Parameters of a monitor of a call or a conference. */
export const monitorParams = z.object({
  to: z.string().trim().regex(/^client:[A-Za-z0-9\-._+]{1,64}$/, "must be client: and a Login")
    .describe(
      "The Client whose phones ring: client: and the Login of a Client of the account.",
    ),
});
