import { learnedTenant } from "../../core/base/learned_tenants.ts";
import { lookingFor } from "../../core/machine/net/names.ts";
import { overReason } from "../../core/base/abort.ts";
import type { Calls } from "../contracts/calls.ts";
import type { InboundLeg, OutboundLeg } from "../contracts/leg.ts";
import { perform } from "./perform.ts";
import { newRun } from "./steps/script_run.ts";
import { prepare } from "./prepare.ts";
import { onRefer } from "./receive_refer.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import { vacate } from "./steps/conference_place.ts";
import { createLegTasks } from "./leg_tasks.ts";
import { createLegStreams } from "./leg_streams.ts";
import type { ReportQueue } from "../base/report_queue.ts";
import { guard } from "../base/log.ts";

type Work = (signal: AbortSignal) => Promise<void>;

/** Turns of a leg: one script, or dial of another leg, at a time. */
interface Turns {
  /** Ends the turn that is, and gives the signal of a new one. */
  acquire(): AbortSignal;
  /**
   * Works within a turn, after what was before it has let go; `onFailure` is called when it
   * rejects.
   */
  work(signal: AbortSignal, work: Work): void;
  /** Resolves when nothing works any more. */
  idle(): Promise<void>;
}

function createTurns(over: AbortSignal, onFailure: (error: unknown) => void): Turns {
  let holder: AbortController | undefined;
  let last = Promise.resolve();
  // A signal made of several would be held weakly by each, which keeps all of a call from the
  // collector of what is young.
  over.addEventListener("abort", () => holder?.abort(overReason), { once: true });
  return {
    acquire() {
      holder?.abort(overReason);
      holder = new AbortController();
      if (over.aborted) holder.abort(overReason);
      return holder.signal;
    },
    work(signal, work) {
      const before = last;
      last = before.then(() => work(signal)).catch(onFailure);
    },
    idle: () => last,
  };
}

/** Reports the first address that sends audio to a leg and is not among those of signalling. */
function reportUnknownSource({ leg, report }: Pick<LiveLeg, "leg" | "report">): void {
  let isReported = false;
  leg.onUnknownSource = (address) => {
    if (!isReported) report({ type: "unknownSource", address });
    isReported = true;
  };
}

export function createLiveLeg<L extends InboundLeg | OutboundLeg>(
  calls: Calls,
  leg: L,
  reports: ReportQueue,
  { isOfPeer = false } = {},
): LiveLeg<L> {
  const { log } = calls.signalling;
  const failed = (error: unknown) => {
    log("Cannot perform a script", { leg: leg.id, error: String(error) });
    leg.hangup({ status: 500, cause: "error" });
  };
  const turns = createTurns(leg.signal, failed);
  let stopEnd = () => {};

  const live: LiveLeg<L> = {
    leg,
    lastFailure: undefined,
    lastWords: undefined,
    partner: undefined,
    referMarkup: undefined,
    conference: undefined,
    isOfPeer,
    streams: createLegStreams({ leg, report: (event) => live.report(event) }),
    tasks: createLegTasks(calls, { leg, report: (event) => live.report(event) }),
    referring: false,
    report: (event) => void reports.send(event),
    requestScript: (event, waiter) => reports.send(event, waiter),
    acquire() {
      vacate(live);
      return turns.acquire();
    },
    run: (script) =>
      live.take(async (signal) => {
        const steps = await script(signal);
        const run = newRun({ calls, live, signal });
        await lookingFor(learnedTenant(leg.accountSid), () => perform(run, steps));
      }),
    take: (work) => turns.work(live.acquire(), work),
    prepare: async (invitation, held) => {
      const run = newRun({ calls, live, signal: held });
      const preparing = lookingFor(learnedTenant(leg.accountSid), () => prepare(run, invitation));
      const isReady = await preparing.catch((error) => (failed(error), false));
      if (!isReady && !held.aborted) leg.hangup({ cause: "screened" });
      return isReady;
    },
    dismiss(options) {
      live.isDismissed = true;
      leg.hangup(options);
    },
    isDismissed: false,
    endAfter(ms, cause) {
      stopEnd();
      stopEnd = calls.signalling.timers.after(ms, () => live.dismiss({ cause }));
    },
    idle: turns.idle,
    over: leg.ended.then(async (ending) => {
      stopEnd();
      // Reports of the script come before the report of the end.
      await turns.idle();
      await Promise.all([live.streams.settled(), live.tasks.settled()]);
      live.report({ type: "ended", ...ending });
    }),
    settled: async () => void await Promise.all([live.over, leg.released]).then(reports.drained),
  };
  reportUnknownSource(live);
  leg.onRefer = guard(log, (request) => onRefer(calls, live, request));
  return live;
}
