import { z } from "zod";
import { type RecordOf, resource } from "../resource.ts";

/** A flow as it was saved once. */
export const flowVersions = resource({
  type: "FlowVersion",
  description:
    "A flow of an Application as it was saved once. The latest versions are kept, the one in force " +
    "included; they go with the Application.",
  path: "FlowVersions",
  sidPrefix: "FV",
  fields: {
    applicationSid: z.string().describe("Sid of the Application."),
    number: z.number().int().describe(
      "Number of the version: FlowVersion of the Application at the time.",
    ),
    kind: z.enum(["voice", "sms", "ussd"]).describe("Kind of the Application at the time."),
    flow: z.string().describe("The flow as a JSON text (schema Flow)."),
    savedBy: z.string().nullable().describe(
      "Sid of the account or API key whose credentials saved it; null for one from before versions " +
        "were kept.",
    ),
    savedByEmail: z.string().nullable().describe(
      "E-mail address of that account at the time, null where SavedBy is.",
    ),
  },
  secret: ["flow"], // It may hold credentials for external services.
  filters: { applicationSid: "equals" },
  paged: true,
});

export type FlowVersion = RecordOf<typeof flowVersions>;
