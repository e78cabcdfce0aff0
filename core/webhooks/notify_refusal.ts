import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { notification } from "./notify.ts";
import { type MakingPath, refusedRequest } from "./own_request.ts";
import type { Sent } from "../model/rest/parameters.ts";
import type { Ports } from "../model/ports/ports.ts";
import { sidOfCause } from "../base/sid.ts";

/** A refused request that would have made a call, a text, an e-mail, a look-up or a number. */
export interface Refused {
  accountSid: string;
  /** Below the account. */
  path: MakingPath;
  sent: Sent;
  fault: Fault;
}

/**
 * Writes a Notification of level warning, at most one in `limits.refusalNoticeMs` for each code and
 * account, however many instances there are: its Sid is that of the interval.
 */
export async function notifyRefusal(
  { accountSid, path, sent, fault }: Refused,
  ports: Ports,
): Promise<void> {
  const { notifications } = ports.records;
  const interval = limits.refusalNoticeMs;
  const now = ports.now();
  const start = now - now % interval;
  const sidOf = (at: number) => sidOfCause("NO", { at, id: `${accountSid} ${fault.code}` });
  const before = await notifications.get(accountSid, sidOf(start - interval));
  if (before !== null && now - before.messageDate < interval) return;
  const exchange = refusedRequest({ accountSid, path, sent }, ports);
  const notice = { accountSid, callSid: null, fault: fault.fault, detail: fault.detail ?? "" };
  const { record } = notification({ ...notice, level: "warning", exchange }, ports);
  try {
    await notifications.insert({ record: { ...record, sid: sidOf(start) } });
  } catch (error) {
    const isKnown = error instanceof Fault && error.fault === "alreadyExists";
    if (!isKnown) throw error;
  }
}
