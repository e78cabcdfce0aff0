import { type Exchange, unanswered } from "./exchange.ts";
import { type FaultName, faults } from "./faults.ts";
import { limits } from "./limits.ts";
import type { AlsoInserted, Ports } from "./ports.ts";
import type { Notification } from "./resources/notifications.ts";

export interface Notice {
  accountSid: string;
  /** Null when it is tied to no call. */
  callSid: string | null;
  fault: FaultName;
  /** What was wrong in this case; the fault's own message comes before it. */
  detail: string;
  level: "error" | "warning";
  exchange?: Exchange;
  /** The Sid to use, so that the same cause reported twice is one Notification. */
  sid?: string;
}

/** The Notification that tells a customer of a failure; part of the change that it belongs to. */
export function notification(
  notice: Notice,
  ports: Ports,
): AlsoInserted & { record: Notification } {
  const now = ports.now();
  const { code, message } = faults[notice.fault];
  const exchange = notice.exchange ?? unanswered({ url: "", method: "", params: {} });
  const record: Notification = {
    sid: notice.sid ?? ports.newSid("NO"),
    accountSid: notice.accountSid,
    dateCreated: now,
    dateUpdated: now,
    callSid: notice.callSid,
    apiVersion: limits.apiVersion,
    log: notice.level === "error" ? 0 : 1,
    errorCode: code,
    moreInfo: `${ports.settings.baseUrl}/errors/${code}`,
    messageText: `${message}: ${notice.detail}`,
    messageDate: now,
    requestUrl: withoutCredentials(exchange.url),
    requestMethod: exchange.method,
    requestVariables: new URLSearchParams(exchange.params).toString(),
    responseHeaders: exchange.responseHeaders,
    responseBody: exchange.responseBody.slice(0, 8_192),
  };
  return { into: "notifications", record };
}

/** Records a Notification that belongs to no other change. */
export async function notify(notice: Notice, ports: Ports): Promise<void> {
  const { record } = notification(notice, ports);
  const isKnown = notice.sid !== undefined &&
    await ports.records.notifications.get(record.accountSid, record.sid) !== null;
  if (!isKnown) await ports.records.notifications.insert({ record });
}

function withoutCredentials(url: string): string {
  if (!url.includes("@")) return url;
  const parsed = URL.parse(url);
  if (parsed === null) return "";
  parsed.username = parsed.password = "";
  return parsed.href;
}
