/**
 * Reports of a leg, in order. An `inviting` or `ringing` that the service has not taken goes with
 * the leg's next report. Otherwise a leg that answers at once waits for three commits of its own
 * among those of others: with 100 calls at once a softphone's answer was reported 340 ms after its
 * INVITE. Refused: more HTTP requests at once, which cost more, and a leg still waits three times.
 *
 * The service applies them one after the other, each with its own time, in one commit
 * (`core/reports/handle_report.ts`). With 100 at once the document was requested 267 ms after the
 * POST in place of 417 (median), and a call took 5.4 ms of the service's CPU time in place of 6.6.
 * A call answered within moments may go from `queued` to `in-progress` in one change, so an event
 * stream may not show it ringing. A service of a former version refuses reports that come together;
 * each is then sent alone.
 */
import { awakeNow, steadyNow } from "../../core/base/steady_clock.ts";
import type { Companion, Report, SentReport } from "../../core/protocol/companion.ts";
import type { LegEvent } from "../../core/protocol/events.ts";
import type { Script } from "../../core/protocol/script.ts";
import { currentOrigin } from "../../core/base/origin.ts";
import { unlessAborted } from "../../core/base/abort.ts";
import { sipLimits } from "../base/limits.ts";
import type { MakeReport } from "./event_sender.ts";
import type { RequestScript } from "./script_requester.ts";
import type { ReportQueue, ScriptWaiter } from "../base/report_queue.ts";
import { failureOf } from "./service_link.ts";
import type { Log } from "../base/log.ts";
import type { Timers } from "../base/timers.ts";

export interface ReportOptions {
  companion: Companion;
  /** Delivers a report that wants a script. */
  requestScript: RequestScript;
  /** Delivers a report that wants no script; rejects when the companion stops. */
  sendEvent(make: MakeReport, accountSid: string): Promise<void>;
  timers: Timers;
  log: Log;
  /** Aborts when the companion is about to stop: no attempt waits long any more. */
  stopping: AbortSignal;
  /** Aborts when it stops: what is undelivered then stays so. */
  stopped: AbortSignal;
}

/**
 * The reports of a leg that are sent together: what an outbound leg reports until it is answered, while
 * the service has not taken it, goes with what it reports next.
 */
interface Parcel {
  reports: [Report, ...Report[]];
  /** Time of the last one, in ms of the steady clock. */
  lastAt: number;
  /** Waits for the script of the last one. */
  waiter: ScriptWaiter | undefined;
  /** Resolves when a script request joins reports that were to go as events. */
  asked: PromiseWithResolvers<false>;
  /** Nothing may come to it any more. */
  isClosed: boolean;
  delivery: Promise<Script>;
}

export function createReportQueue(
  options: ReportOptions,
  leg: { id: string; accountSid: string; signal: AbortSignal },
): ReportQueue {
  let seq = 0;
  // A step of the wall clock moves no event of the leg against another.
  const beganAt = Date.now() - steadyNow();
  let origin = currentOrigin();
  let last: Promise<unknown> = Promise.resolve();
  let parcel: Parcel | undefined;
  return {
    send(event, waiter) {
      origin = currentOrigin() ?? origin; // Another script may have come from another request.
      const happenedAt = steadyNow();
      const report: Report = {
        companion: options.companion,
        leg: leg.id,
        accountSid: leg.accountSid,
        seq: seq++,
        at: beganAt + happenedAt,
        event,
        wantsScript: waiter !== undefined,
        ...origin && { origin },
      };
      if (parcel !== undefined && mayJoin(parcel, event)) join(parcel, report, waiter, happenedAt);
      else {
        const one: Parcel = parcel = parcelOf(report, waiter, happenedAt);
        last = one.delivery = last.then(() => deliver(options, one, leg.signal));
      }
      const { delivery } = parcel;
      if (waiter === undefined) return delivery.then(() => []);
      return unlessAborted(delivery, waiter.signal).then((script) => script ?? []);
    },
    wait(work) {
      parcel = undefined;
      last = last.then(() => work);
    },
    drained: async () => void await last,
  };
}

const parcelOf = (
  report: Report,
  waiter: ScriptWaiter | undefined,
  lastAt: number,
): Parcel => ({
  reports: [report],
  lastAt,
  waiter,
  asked: Promise.withResolvers(),
  isClosed: false,
  delivery: Promise.resolve([]),
});

/** As many as the protocol takes together. */
const mostTogether = 3;

function mayJoin({ isClosed, waiter, reports }: Parcel, { type }: LegEvent): boolean {
  if (isClosed || waiter !== undefined || reports.length === mostTogether) return false;
  return (type === "ringing" || type === "answered") && reports.every(isProgress);
}

/** The call of an `inviting` with a parent is made by that report: it goes alone. */
const isProgress = ({ event }: Report): boolean =>
  event.type === "ringing" || event.type === "inviting" && event.parent === undefined;

function join(
  parcel: Parcel,
  report: Report,
  waiter: ScriptWaiter | undefined,
  happenedAt: number,
): void {
  parcel.reports.push(report);
  parcel.lastAt = happenedAt;
  if (waiter === undefined) return;
  parcel.waiter = waiter;
  parcel.asked.resolve(false);
}

/** Tries until the service has taken the reports, or never will. */
async function deliver(
  options: ReportOptions,
  parcel: Parcel,
  over: AbortSignal,
): Promise<Script> {
  const { requestScript, log, stopped } = options;
  const patientUntil = awakeNow() + sipLimits.serviceGraceMs;
  let defects = 0;
  for (let attempt = 0; !stopped.aborted;) {
    const { waiter } = parcel;
    // Once no script is awaited, the same reports go out as events.
    const wantsScript = waiter !== undefined && !waiter.signal.aborted;
    const signal = wantsScript ? waiter.signal : stopped;
    try {
      if (wantsScript) {
        parcel.isClosed = true;
        return await requestScript(sentOf(parcel, { wantsScript, over }), signal);
      }
      if (await sendAsEvents(options, parcel, over)) return [];
    } catch (error) {
      if (signal.aborted || stopped.aborted) continue;
      const failure = failureOf(error);
      if (failure === "defect") defects++;
      if (failure === "refusal" || defects === sipLimits.reportDefects) {
        if (parcel.reports.length > 1) return await deliverEach(options, parcel, over);
        const [{ leg, seq }] = parcel.reports;
        log("Dropped a report", { leg, seq, error: String(error) });
        return [];
      }
      parcel.isClosed = false;
      if (wantsScript && awakeNow() > patientUntil) waiter.onUnreachable?.();
      await rest(options, { attempt: attempt++, wantsScript, signal });
    }
  }
  return [];
}

/**
 * Sends reports as events. Returns false when a script request joins them before they have gone: then
 * all go with that request.
 */
async function sendAsEvents(
  { sendEvent }: ReportOptions,
  parcel: Parcel,
  over: AbortSignal,
): Promise<boolean> {
  const { waiter, asked } = parcel;
  const sent = sendEvent(() => {
    if (parcel.waiter !== waiter) return null;
    parcel.isClosed = true;
    return sentOf(parcel, { wantsScript: false, over });
  }, parcel.reports[0].accountSid).then(() => true);
  return await (waiter === undefined ? Promise.race([sent, asked.promise]) : sent);
}

/** Sends one report after the other: one that the service does not take is no fault of the others. */
async function deliverEach(
  options: ReportOptions,
  { reports, waiter, lastAt }: Parcel,
  over: AbortSignal,
): Promise<Script> {
  let script: Script = [];
  for (const report of reports) {
    const happenedAt = lastAt - reports.at(-1)!.at + report.at; // There is one.
    const one = parcelOf(report, report === reports.at(-1) ? waiter : undefined, happenedAt);
    script = await deliver(options, one, over);
  }
  return script;
}

/** Reports as they are sent: those before the last go with it. */
function sentOf(
  { reports, lastAt }: Parcel,
  { wantsScript, over }: { wantsScript: boolean; over: AbortSignal },
): SentReport {
  const earlier = reports.slice(0, -1).flatMap(({ seq, at, event }) =>
    event.type === "inviting" || event.type === "ringing" ? { seq, at, event } : []
  );
  const report = reports.at(-1)!; // There is one.
  const { event } = report;
  const hasEnded = !wantsScript && over.aborted && "action" in event;
  return {
    ...report,
    ageMs: Math.max(0, steadyNow() - lastAt),
    wantsScript,
    event: earlier.length === 0 ? event : { type: "together", earlier, event },
    ...hasEnded && { hasEnded },
  };
}

/** Waits before the next attempt: twice as long each time, spread so that legs do not march. */
async function rest(
  { timers, stopping, stopped }: ReportOptions,
  after: { attempt: number; wantsScript: boolean; signal: AbortSignal },
): Promise<void> {
  const { attempt, wantsScript, signal } = after;
  const max = wantsScript ? sipLimits.retryWaitingMaxMs : sipLimits.retryMaxMs;
  const ms = Math.min(sipLimits.retryMinMs * 2 ** attempt, max) * (0.75 + Math.random() / 2);
  const isStopping = stopping.aborted;
  const until = AbortSignal.any([signal, isStopping ? stopped : stopping]);
  await timers.pause(isStopping ? sipLimits.retryMinMs : ms, until);
}
