import { z } from "zod";
import { type RecordOf, resource } from "../../resource.ts";
import { markupRequestFields } from "../document_requests.ts";

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
    ...markupRequestFields,
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
