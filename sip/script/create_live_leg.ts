import { overReason } from "../base/abort.ts";
import type { Calls } from "../contracts/calls.ts";
import type { InboundLeg, OutboundLeg } from "../contracts/leg.ts";
import { perform } from "./perform.ts";
import { newRun } from "../steps/script_run.ts";
import { prepare } from "./prepare.ts";
import { onRefer } from "../transfer/refer.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import { vacate } from "../steps/conference_place.ts";
import type { ReportQueue } from "../base/report_queue.ts";
import { guard } from "../base/log.ts";

export function createLiveLeg<L extends InboundLeg | OutboundLeg>(
  calls: Calls,
  leg: L,
  reports: ReportQueue,
  { isOfPeer = false } = {},
): LiveLeg<L> {
  const { log } = calls.signalling;
  let holder: AbortController | undefined;
  let run = Promise.resolve();

  // A signal made of several would be held weakly by each, which keeps all of a call from the
  // collector of what is young.
  leg.signal.addEventListener("abort", () => holder?.abort(overReason), { once: true });

  const failed = (error: unknown) => {
    log("Cannot perform a script", { leg: leg.id, error: String(error) });
    leg.hangup({ status: 500 });
  };

  const live: LiveLeg<L> = {
    leg,
    lastFailure: undefined,
    partner: undefined,
    conference: undefined,
    isOfPeer,
    referring: false,
    report: (event) => void reports.send(event),
    requestScript: (event, waiter) => reports.send(event, waiter),
    acquire() {
      vacate(live);
      holder?.abort(overReason);
      holder = new AbortController();
      if (leg.signal.aborted) holder.abort(overReason);
      return holder.signal;
    },
    run: (script) =>
      live.take(async (signal) => {
        const steps = await script(signal);
        await perform(newRun({ calls, live, signal }), steps);
      }),
    take(work) {
      const signal = live.acquire();
      const before = run;
      run = before.then(() => work(signal)).catch(failed);
    },
    prepare: async (invitation, held) => {
      const preparing = prepare(newRun({ calls, live, signal: held }), invitation);
      const isReady = await preparing.catch((error) => (failed(error), false));
      if (!isReady && !held.aborted) leg.hangup();
      return isReady;
    },
    dismiss(status) {
      live.isDismissed = true;
      leg.hangup(status === undefined ? {} : { status });
    },
    isDismissed: false,
    idle: () => run,
    over: leg.ended.then(async (ending) => {
      // What the script still has to say comes before the last word.
      await run;
      live.report({ type: "ended", ...ending });
    }),
    settled: async () => void await Promise.all([live.over, leg.released]).then(reports.drained),
  };
  let isTold = false;
  leg.onUnknownSource = (address) => {
    if (!isTold) live.report({ type: "unknownSource", address });
    isTold = true;
  };
  leg.onRefer = guard(log, (request) => onRefer(calls, live, request));
  return live;
}
