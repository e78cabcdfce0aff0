import { z } from "zod";
import { isoDate, reference } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** A log entry: a failure that the customer could mend. */
export const notifications = resource({
  type: "Notification",
  path: "Notifications",
  sidPrefix: "NO",
  fields: {
    callSid: reference("CA").nullable(),
    apiVersion: z.string(),
    /** 0 ERROR, 1 WARNING. */
    log: z.number().int(),
    errorCode: z.number().int(),
    moreInfo: z.string(),
    messageText: z.string(),
    messageDate: isoDate,
    requestUrl: z.string().max(limits.urlLength).nullable(),
    requestMethod: z.string().nullable(),
    requestVariables: z.string().nullable(),
    responseHeaders: z.string().nullable(),
    responseBody: z.string().nullable(),
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
