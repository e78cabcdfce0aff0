/**
 * Notifications: the error log of an account, one entry for each cause.
 *
 * - The Sid follows from the cause where a report or a job may be repeated. A repeat writes the
 *   same record.
 * - For refused requests it follows from minute, account and code: several instances write one
 *   Notification a minute together, without counting.
 * - The request shown is the one to the customer's server. Where none was made, it is the request
 *   to this interface that ordered the call, message, e-mail or look-up, without BCC and
 *   credentials. An order by markup is shown as if it came by REST.
 */
import { type Exchange, unanswered, withoutCredentials } from "../base/exchange.ts";
import { Fault, type FaultName, faults } from "../base/faults.ts";
import { statusIn } from "../base/specific_advice.ts";
import { currentRequestId } from "../base/origin.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { AlsoInserted } from "../model/record_types.ts";
import { isRemoved } from "../model/resources/internal/removed_records.ts";
import type { Notification } from "../model/resources/notifications.ts";
import { type Cause, sidOfCause } from "../base/sid.ts";

export interface Notice {
  accountSid: string;
  /** Null when it is tied to no call. */
  callSid: string | null;
  fault: FaultName;
  /** Detail of this case; the fault's own message comes before it. */
  detail: string;
  level: "error" | "warning";
  exchange?: Exchange | undefined;
  /** The cause: a repeat of it makes no second Notification. Absent: there is no repeat. */
  cause?: Cause | undefined;
}

export type { Cause };

/** Notification of a failure, as a part of the change that it belongs to. */
export function notification(
  notice: Notice,
  ports: Ports,
): AlsoInserted & { record: Notification } {
  const now = ports.now();
  const { code, message } = faults[notice.fault];
  const exchange = notice.exchange ?? unanswered({ url: "", method: "", params: {} });
  const messageText = cut(`${message}: ${notice.detail}`);
  const status = statusIn(code, messageText);
  const record: Notification = {
    sid: notice.cause === undefined ? ports.newSid("NO") : sidOf(notice.cause, notice),
    accountSid: notice.accountSid,
    dateCreated: now,
    dateUpdated: now,
    callSid: notice.callSid,
    apiVersion: limits.apiVersion,
    log: notice.level === "error" ? 0 : 1,
    errorCode: code,
    moreInfo: `${ports.settings.baseUrl}/errors/${code}` +
      (status === undefined ? "" : `?status=${status}`),
    messageText,
    messageDate: now,
    requestUrl: short(withoutCredentials(exchange.url)),
    requestMethod: short(exchange.method),
    requestVariables: short(new URLSearchParams(exchange.params).toString()),
    responseHeaders: short(exchange.responseHeaders),
    responseBody: short(exchange.responseBody),
    requestId: currentRequestId(),
  };
  return { into: "notifications", record };
}

/** One cause may have several Notifications: of different faults, or of different requests. */
function sidOf({ at, id }: Cause, { fault, exchange }: Notice): string {
  const text = JSON.stringify([id, fault, exchange?.url ?? ""]);
  return sidOfCause("NO", { at, id: text });
}

/**
 * Records a Notification that belongs to no other change; none of a call that was removed
 * meanwhile.
 */
export async function notify(notice: Notice, ports: Ports): Promise<void> {
  try {
    if (await isOfRemoved(notice, ports)) return;
    await ports.records.notifications.insert({ record: notification(notice, ports).record });
  } catch (error) {
    const isKnown = error instanceof Fault && error.fault === "alreadyExists";
    if (!isKnown) throw error;
  }
}

/** True when the call was removed. Some calls have no record, so only a mark counts. */
async function isOfRemoved({ accountSid, callSid }: Notice, { records }: Ports): Promise<boolean> {
  if (callSid === null || await records.calls.get(accountSid, callSid) !== null) return false;
  return await isRemoved({ accountSid, sid: callSid }, records);
}

/** Cuts a text at the longest that a value of the store takes. */
const cut = (text: string): string => text.slice(0, limits.noticeLength);
const short = (text: string): string | null => cut(text) || null;
