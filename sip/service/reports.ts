import type { Companion, Report } from "../../core/protocol/companion.ts";
import type { Script } from "../../core/protocol/script.ts";
import { currentOrigin } from "../../core/base/origin.ts";
import { unlessAborted } from "../base/abort.ts";
import { sipLimits } from "../base/limits.ts";
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
  sendEvent(report: Report): Promise<void>;
  timers: Timers;
  log: Log;
  /** Aborts when the companion is about to stop: no attempt waits long any more. */
  stopping: AbortSignal;
  /** Aborts when it stops: what is undelivered then stays so. */
  stopped: AbortSignal;
}

export function createReportQueue(
  options: ReportOptions,
  leg: { id: string; accountSid: string; signal: AbortSignal },
): ReportQueue {
  let seq = 0;
  let origin = currentOrigin();
  let last: Promise<unknown> = Promise.resolve();
  return {
    send(event, waiter) {
      origin = currentOrigin() ?? origin; // Another script may have come from another request.
      const report: Report = {
        companion: options.companion,
        leg: leg.id,
        accountSid: leg.accountSid,
        seq: seq++,
        at: Date.now(),
        event,
        wantsScript: waiter !== undefined,
        ...origin && { origin },
      };
      const delivery = last.then(() => deliver(options, report, { waiter, over: leg.signal }));
      last = delivery;
      if (waiter === undefined) return delivery;
      return unlessAborted(delivery, waiter.signal).then((script) => script ?? []);
    },
    wait(work) {
      last = last.then(() => work);
    },
    drained: async () => void await last,
  };
}

/** Tries until the service has taken the report, or never will. */
async function deliver(
  options: ReportOptions,
  report: Report,
  { waiter, over }: { waiter: ScriptWaiter | undefined; over: AbortSignal },
): Promise<Script> {
  const { requestScript: ask, sendEvent: tell, log, stopped } = options;
  const patientUntil = Date.now() + sipLimits.serviceGraceMs;
  let defects = 0;
  for (let attempt = 0; !stopped.aborted; attempt++) {
    // Once no script is awaited, the same report goes out as an event.
    const wantsScript = waiter !== undefined && !waiter.signal.aborted;
    const signal = wantsScript ? waiter.signal : stopped;
    try {
      if (wantsScript) return await ask(report, signal);
      const hasEnded = over.aborted && "action" in report.event;
      const isSame = wantsScript === report.wantsScript && !hasEnded;
      await tell(isSame ? report : { ...report, wantsScript, ...hasEnded && { hasEnded } });
      return [];
    } catch (error) {
      if (signal.aborted || stopped.aborted) continue;
      const failure = failureOf(error);
      if (failure === "defect") defects++;
      if (failure === "refusal" || defects === sipLimits.reportDefects) {
        log("Dropped a report", { leg: report.leg, seq: report.seq, error: String(error) });
        return [];
      }
      if (wantsScript && Date.now() > patientUntil) waiter.onUnreachable?.();
      await rest(options, { attempt, wantsScript, signal });
    }
  }
  return [];
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
