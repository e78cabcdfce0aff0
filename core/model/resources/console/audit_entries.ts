import { z } from "zod";
import { formText } from "../../../base/fields.ts";
import { type RecordOf, resource } from "../../resource.ts";

/** Audit log of the console: sign-ins, and every change with its author and address. */
export const auditEntries = resource({
  type: "AuditEntry",
  description: "A sign-in at the console, or a change that was made there.",
  path: "AuditEntries",
  sidPrefix: "AE",
  fields: {
    actorSid: z.string().describe("Sid of the account that was signed in."),
    actorEmail: z.string().describe("E-mail address of that account at the time."),
    action: z.string().describe(
      "What was done: the HTTP method of a change (POST, DELETE), or a word such as sign-in.",
    ),
    target: z.string().describe(
      "Path of the changed resource below its account; empty for a sign-in.",
    ),
    parameters: formText.describe("Parameters of the change, form-encoded; secrets are masked."),
    status: z.number().int().describe("HTTP status that the change was answered with."),
    from: z.string().describe("IP address that the request came from."),
    userAgent: z.string().describe("User-Agent of the browser, at most 256 characters."),
    requestId: z.string().nullable().describe("X-Request-Id of the change."),
  },
  filters: { actorSid: "equals", action: "equals", target: "equals" },
  period: { start: "dateCreated", end: "dateCreated" },
  paged: true,
});

export type AuditEntry = RecordOf<typeof auditEntries>;
