import type { Notification } from "../model/resources/notifications.ts";
import { dated, equal } from "./noun/filters.ts";
import { type Asked, noun } from "./noun/noun.ts";
import { fetched, listedBelow, listedOf } from "./noun/regular.ts";
import { apiVersion, basic, date, text } from "./noun/written.ts";
import { callOf } from "./calls.ts";
import { Fault } from "../base/faults.ts";

const shown = {
  type: "Notification",
  plural: "notifications",
  fields: {
    ...basic,
    call_sid: ({ callSid }: Notification) => callSid,
    api_version: apiVersion,
    log: ({ log }: Notification) => text(log),
    error_code: ({ errorCode }: Notification) => text(errorCode),
    more_info: ({ moreInfo }: Notification) => moreInfo,
    message_text: ({ messageText }: Notification) => messageText,
    message_date: ({ messageDate }: Notification) => date(messageDate),
    request_url: ({ requestUrl }: Notification) => requestUrl,
    request_method: ({ requestMethod }: Notification) => requestMethod,
    request_variables: ({ requestVariables }: Notification) => requestVariables,
    response_headers: ({ responseHeaders }: Notification) => responseHeaders,
    response_body: ({ responseBody }: Notification) => responseBody,
  },
  address: ({ sid }: Notification) => `Notifications/${sid}`,
};

const filters = { Log: equal("log", ["0", "1"]), MessageDate: dated("messageDate") };

/** The error log of an account. */
export const notifications = noun<Notification>({
  ...shown,
  path: "Notifications",
  fetch: fetched("notifications"),
  listed: listedOf("notifications", filters),
});

/** The same below one call. */
export const callNotifications = noun<Notification>({
  ...shown,
  path: "Calls/{CallSid}/Notifications",
  async fetch(asked: Asked) {
    const { sid } = await callOf(asked);
    const notice = await fetched("notifications")(asked);
    if (notice.callSid !== sid) throw new Fault("notFound", notice.sid);
    return notice;
  },
  listed: listedBelow("notifications", filters, {
    parent: "calls",
    sid: "CallSid",
    field: "callSid",
  }),
});
