import { z } from "zod";
import { type RecordOf, resource } from "../../resource.ts";

/** Sessions of browsers at the console. Internal: no interface shows them. */
export const consoleSessions = resource({
  type: "ConsoleSession",
  description: "A session at the console, of one browser.",
  path: "Console/Sessions",
  sidPrefix: "CS",
  irregular: true,
  internal: true,
  fields: {
    /** SHA-256 of the cookie, in hex: the store cannot be used to sign in. */
    tokenHash: z.string(),
    /** SHA-256 of the AuthToken at the sign-in: another one ends the session. */
    credentialHash: z.string(),
    /** True when the second factor was given, or is not required. */
    isComplete: z.boolean(),
    /** Time of its last use, in ms; exact to a minute. */
    seenAt: z.number(),
    /** The same, and when it was opened, by the steady clock, which sessions end by. */
    seenSteadyAt: z.number().nullable(),
    begunSteadyAt: z.number().nullable(),
    /** Address that it was opened from, and the browser's User-Agent. */
    from: z.string(),
    userAgent: z.string(),
  },
  unique: ["tokenHash"],
});

export type ConsoleSession = RecordOf<typeof consoleSessions>;
