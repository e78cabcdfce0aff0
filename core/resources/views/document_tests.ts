import { z } from "zod";
import { formText, isoDate, method } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../../model/resource.ts";

/** A request for markup that was made to try it. Nothing of it is stored. */
export const documentTests = resource({
  type: "DocumentTest",
  description: "A request for markup that no call or message made: what it brought, and what " +
    "that would do.",
  path: "Webhooks/Tests",
  sidPrefix: "",
  irregular: true,
  fields: {
    kind: z.enum(["voice", "sms", "ussd"]).describe(
      "What the markup was requested for: a call (voice), a text message (sms) or a USSD dialogue (ussd).",
    ),
    url: z.string().max(limits.urlLength).describe(
      "URL of the request, without credentials; the step of a flow for an Application with one.",
    ),
    method: method.describe("HTTP method of the request: GET or POST."),
    requestVariables: formText.describe("Parameters of the request, form-encoded."),
    startTime: isoDate.describe("Date of the request."),
    duration: z.number().int().nonnegative().describe(
      "Milliseconds until the markup was read, or could not be.",
    ),
    status: z.number().int().nullable().describe(
      "HTTP status of the response; null without a response, and of a flow.",
    ),
    responseHeaders: z.string().nullable().describe(
      "Headers of the response, one a line; null without a response.",
    ),
    responseBody: z.string().nullable().describe(
      "First 8 KiB of the response, null without a response.",
    ),
    verbs: z.string().describe("Verbs of the markup in their order, separated by commas."),
    steps: z.array(z.object({
      text: z.string().describe("What the step does, as a sentence."),
    })).describe("What the markup would do, in its order."),
    problems: z.array(z.object({
      errorCode: z.number().int().describe("Error code; the page at more_info explains it."),
      moreInfo: z.string().describe("URL of the page that explains the error code."),
      text: z.string().describe("What was skipped or has failed, and why."),
    })).describe("What was skipped, has no route or has failed."),
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
});

export type DocumentTest = RecordOf<typeof documentTests>;
