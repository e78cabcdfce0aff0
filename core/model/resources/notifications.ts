import { z } from "zod";
import { isoDate, reference } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** A log entry: a failure that the customer could mend. */
export const notifications = resource({
  type: "Notification",
  description: "A log entry about a failure that the customer can correct.",
  path: "Notifications",
  sidPrefix: "NO",
  fields: {
    callSid: reference("CA").nullable().describe(
      "Sid of the Call that the failure belongs to, null for any other.",
    ),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    log: z.number().int().describe("Severity: 0 (error) or 1 (warning)."),
    errorCode: z.number().int().describe("Error code; the page at more_info explains it."),
    moreInfo: z.string().describe("URL of the page that explains the error code."),
    messageText: z.string().describe("Description of the failure."),
    messageDate: isoDate.describe("Date of the failure."),
    requestUrl: z.string().max(limits.urlLength).nullable().describe(
      "URL of the request that failed, null when there is none.",
    ),
    requestMethod: z.string().nullable().describe(
      "HTTP method of that request, null when there is none.",
    ),
    requestVariables: z.string().nullable().describe(
      "Parameters of that request, form-encoded; null when there is none.",
    ),
    responseHeaders: z.string().nullable().describe(
      "Headers of the response, one a line; null without a response.",
    ),
    responseBody: z.string().nullable().describe(
      "Beginning of the body of the response, null without a response.",
    ),
    requestId: z.string().nullable().describe(
      "X-Request-Id of the request that the failure comes from, null where there is none.",
    ),
  },
  filters: {
    errorCode: "equals",
    requestUrl: "equals",
    messageText: "contains",
    callSid: "equals",
  },
  period: { start: "messageDate", end: "messageDate" },
  paged: true,
});

export type Notification = RecordOf<typeof notifications>;
