import type { LegEvent } from "../../core/bridge_events.ts";
import type { Invitation, Script } from "../../core/bridge_script.ts";
import { overReason } from "../abort.ts";
import type { Calls } from "./calls.ts";
import type { InboundLeg, OutboundLeg } from "../leg/leg.ts";
import { perform } from "./perform.ts";
import { beginning } from "./performance.ts";
import { prepare } from "./prepare.ts";
import { onRefer } from "../dialog/refer.ts";
import { type RoomPlace, vacate } from "./room_place.ts";
import type { Asking, ReportQueue } from "../service/reports.ts";
import { guard } from "../signalling.ts";

/** A leg with what is done to it: its script, and its reports to the service. */
export interface LiveLeg<L extends InboundLeg | OutboundLeg = InboundLeg | OutboundLeg> {
  readonly leg: L;
  /** The status of the last dial that nobody answered: what a caller is refused with. */
  lastFailure: number | undefined;
  /** Whom it talks to, where that is another leg. */
  partner: LiveLeg | undefined;
  /** Where it is in a room, as the service put it there; of a leg that has ended, where it was. */
  room: RoomPlace | undefined;
  /** The other end is a leg of another companion, which has the call and its records. */
  readonly isOfPeer: boolean;
  /** A transfer that its softphone asked for is under way. */
  referring: boolean;
  /** Tells the service, in order; nobody waits. */
  report(event: LegEvent): void;
  /** Tells the service and resolves with the next script, empty for none. */
  ask(event: LegEvent, asking: Asking): Promise<Script>;
  /** Takes the leg over from whoever held it: a script, or the dial of another leg. */
  hold(): AbortSignal;
  /** Performs a script in place of what the leg was doing. */
  run(script: (signal: AbortSignal) => Script | Promise<Script>): void;
  /** The same with something that is no script; a failure hangs up. */
  take(work: (signal: AbortSignal) => Promise<void>): void;
  /**
   * Does what comes between the answer of a leg that a dial placed and the join with who dialled;
   * resolves with whether to join them. A leg that is not joined has ended, or was taken away.
   */
  prepare(invitation: Invitation, held: AbortSignal): Promise<boolean>;
  /** Hangs up, and not because its softphone did; `status` is what an unanswered caller is told. */
  dismiss(status?: number): void;
  isDismissed: boolean;
  /** Resolves when nothing is performed on it; after `hold`, what was has let go. */
  idle(): Promise<void>;
  /** Resolves when the leg has ended and its last report is queued. */
  readonly over: Promise<void>;
  /** Resolves when the service has all reports and the softphone its BYE. */
  settled(): Promise<void>;
}

export function createLiveLeg<L extends InboundLeg | OutboundLeg>(
  calls: Calls,
  leg: L,
  reports: ReportQueue,
  { isOfPeer = false } = {},
): LiveLeg<L> {
  const { log } = calls.signalling;
  let holder: AbortController | undefined;
  let performance = Promise.resolve();

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
    room: undefined,
    isOfPeer,
    referring: false,
    report: (event) => void reports.send(event),
    ask: (event, asking) => reports.send(event, asking),
    hold() {
      vacate(live);
      holder?.abort(overReason);
      holder = new AbortController();
      if (leg.signal.aborted) holder.abort(overReason);
      return holder.signal;
    },
    run: (script) =>
      live.take(async (signal) => {
        const steps = await script(signal);
        await perform(beginning({ calls, live, signal }), steps);
      }),
    take(work) {
      const signal = live.hold();
      const before = performance;
      performance = before.then(() => work(signal)).catch(failed);
    },
    prepare: async (invitation, held) => {
      const preparing = prepare(beginning({ calls, live, signal: held }), invitation);
      const isReady = await preparing.catch((error) => (failed(error), false));
      if (!isReady && !held.aborted) leg.hangup();
      return isReady;
    },
    dismiss(status) {
      live.isDismissed = true;
      leg.hangup(status === undefined ? {} : { status });
    },
    isDismissed: false,
    idle: () => performance,
    over: leg.ended.then(async (ending) => {
      // What the script still has to say comes before the last word.
      await performance;
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
