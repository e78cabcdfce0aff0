import { z } from "zod";
import { type RecordOf, resource } from "../../model/resource.ts";

/** What guards the sign-in of an account at the console; one per account. Internal. */
export const consoleGuards = resource({
  type: "ConsoleGuard",
  description: "What guards sign-ins at the console, for one account.",
  path: "Console/Guards",
  sidPrefix: "CG",
  irregular: true,
  internal: true,
  fields: {
    /** Failed sign-ins since the last one that succeeded. */
    failures: z.number().int(),
    /** Until when no sign-in is accepted, in ms; 0: none is refused. */
    lockedUntil: z.number(),
    /** The shared secret of the second factor (RFC 6238), in Base32; null without one. */
    totpSecret: z.string().nullable(),
    /** The secret that was shown, until its first code proves that it was stored. */
    pendingSecret: z.string().nullable(),
    /** The time step of the last accepted code: no code is accepted twice. */
    lastStep: z.number().int(),
    /** SHA-256 of the recovery codes that are left, in hex. */
    recoveryHashes: z.array(z.string()),
  },
  secret: ["totpSecret", "pendingSecret"],
  defaults: {
    failures: 0,
    lockedUntil: 0,
    totpSecret: null,
    pendingSecret: null,
    lastStep: 0,
    recoveryHashes: [],
  },
});

export type ConsoleGuard = RecordOf<typeof consoleGuards>;
