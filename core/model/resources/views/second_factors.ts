import { z } from "zod";
import type { Base } from "../../../base/record.ts";
import type { AnyResource } from "../../resource.ts";
import type { ConsoleGuard } from "../console/guards.ts";

/**
 * State of the second factor of an account's sign-in at the console. No response shows its secret.
 */
export const secondFactors: AnyResource = {
  type: "SecondFactor",
  description: "The second factor that guards the console sign-ins of an account.",
  path: "SecondFactor",
  sidPrefix: "",
  irregular: true,
  fields: {
    status: z.enum(["on", "off"]).describe("Whether a sign-in asks for a code: on or off."),
    recoveryCodesLeft: z.number().int().describe("Recovery codes that have not been used yet."),
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
};

/** The second factor of an account as answers show it; `guard` is null before there was one. */
export const secondFactorOf = (accountSid: string, guard: ConsoleGuard | null): Base => {
  const status = (guard?.totpSecret ?? null) === null ? "off" : "on";
  const recoveryCodesLeft = guard?.recoveryHashes.length ?? 0;
  const shown = { sid: "", accountSid, dateCreated: 0, dateUpdated: 0, status, recoveryCodesLeft };
  return shown;
};
