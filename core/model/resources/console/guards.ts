import { z } from "zod";
import { type RecordOf, resource } from "../../resource.ts";

/** State that guards the sign-in of an account at the console; one per account. Internal. */
export const consoleGuards = resource({
  type: "ConsoleGuard",
  description: "What guards sign-ins at the console, for one account.",
  path: "Console/Guards",
  sidPrefix: "CG",
  irregular: true,
  internal: true,
  fields: {
    /** Wrong codes of the last day: the network that each came from, and its time in ms. */
    wrongCodes: z.array(z.object({ network: z.string(), at: z.number() })),
    /** Networks in which a code was right, the latest last. */
    codeNetworks: z.array(z.string()),
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
    wrongCodes: [],
    codeNetworks: [],
    totpSecret: null,
    pendingSecret: null,
    lastStep: 0,
    recoveryHashes: [],
  },
});

export type ConsoleGuard = RecordOf<typeof consoleGuards>;
