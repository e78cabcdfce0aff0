/**
 * Notifications of habits of a program, which each of its requests would repeat: one a day (UTC)
 * for each account and subject. The Sid follows from the hour, the account and the subject. So
 * instances agree without a counter, and lists have the Notification among those of its hour. An
 * instance remembers the subjects of today, so that the store is read once for each.
 */
import { limits } from "../base/limits.ts";
import { sidOfCause } from "../base/sid.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type Notice, notification } from "./notify.ts";
import { Fault } from "../base/faults.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A Notification of level warning about a subject, such as the name of a parameter. */
export interface DailyNotice extends Omit<Notice, "level" | "callSid" | "cause"> {
  subject: string;
  /** The account right under the root that the account belongs to, whose notices are bounded. */
  tenant: string;
}

/** Writes the Notification unless the account has one of the subject today. Never throws. */
export type DailyNotices = (notice: DailyNotice) => Promise<void>;

/** The notices of this instance. A tenant gets `limits.dailyNotices` of each fault at most. */
export function dailyNotices(ports: Ports): DailyNotices {
  let day = 0;
  let told = new Map<string, Set<string>>();

  /** Returns true for a subject that is new to this instance today, and remembers it. */
  function isNew({ accountSid, tenant, fault, subject }: DailyNotice, now: number): boolean {
    const today = now - now % dayMs;
    if (today !== day || told.size >= limits.dailyNoticeTenants) told = new Map();
    day = today;
    const key = `${tenant} ${fault}`;
    const subjects = told.get(key) ?? new Set();
    told.set(key, subjects);
    const own = `${accountSid} ${subject}`;
    if (subjects.has(own) || subjects.size >= limits.dailyNotices) return false;
    subjects.add(own);
    return true;
  }

  return async ({ subject, tenant, ...notice }) => {
    const now = ports.now();
    if (!isNew({ subject, tenant, ...notice }, now)) return;
    const { accountSid, fault } = notice;
    const sidAt = (at: number) => sidOfCause("NO", { at, id: `${accountSid} ${fault} ${subject}` });
    const hour = now - now % hourMs;
    try {
      const { notifications } = ports.records;
      for (let at = now - now % dayMs; at <= hour; at += hourMs) {
        if (await notifications.get(accountSid, sidAt(at)) !== null) return;
      }
      const { record } = notification({ ...notice, callSid: null, level: "warning" }, ports);
      await notifications.insert({ record: { ...record, sid: sidAt(hour) } });
    } catch (error) { // The request that it is about is answered all the same.
      if (error instanceof Fault && error.fault === "alreadyExists") return;
      ports.log("Cannot write the Notification of a request", { accountSid, fault, error });
    }
  };
}
