import { z } from "zod";
import { formText, isoDate, method, reference } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** Fields of a request for markup, of a live call or of a test (`Webhooks/Tests`). */
export const markupRequestFields = {
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
};

/** One request for the call-control markup of a call, and its result. */
export const documentRequests = resource({
  type: "DocumentRequest",
  description: "A request for the call-control markup of a call, with its response.",
  path: "Webhooks/Documents",
  sidPrefix: "WM",
  fields: {
    callSid: reference("CA").describe("Sid of the Call that the markup is for."),
    ...markupRequestFields,
    skipped: z.string().nullable().describe(
      "What of the markup was skipped, separated by semicolons; null when nothing was.",
    ),
    error: z.string().nullable().describe(
      "Why there is no markup, null when there is some.",
    ),
  },
  // Each filter is an index that every document of a call pays for.
  filters: { callSid: "equals" },
  period: { start: "startTime", end: "startTime" },
  paged: true,
});

export type DocumentRequest = RecordOf<typeof documentRequests>;
