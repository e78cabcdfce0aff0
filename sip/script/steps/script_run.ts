import type { Action } from "../../../core/protocol/action.ts";
import type { LegEvent } from "../../../core/protocol/events.ts";
import type { Script } from "../../../core/protocol/script.ts";
import type { Calls } from "../../contracts/calls.ts";
import type { LiveLeg } from "../../contracts/live_leg.ts";
import type { UssdSaid } from "../../text/ussd_body.ts";

/** A script that a leg performs. */
export interface ScriptRun {
  calls: Calls;
  live: LiveLeg;
  /** Aborts when the leg ended or another script took over. */
  signal: AbortSignal;
  /** True once a step of the script let time pass. */
  tookTime: boolean;
  /** Digits of a step that had no action to report them to. */
  typed: string;
  /**
   * Reply to a USSD text that went with the INVITE: it may come before the step that awaits it.
   */
  reply?: Promise<UssdSaid>;
}

/** A script that is about to begin. */
export const newRun = (
  { calls, live, signal }: Pick<ScriptRun, "calls" | "live" | "signal">,
): ScriptRun => ({ calls, live, signal, tookTime: false, typed: "" });

/**
 * Action as it is handed back: only documents in a row that take no time are counted. Typed digits go
 * along, once.
 */
export function returnedAction(run: ScriptRun, action: Action): Action {
  const { tookTime, typed } = run;
  run.typed = "";
  return { ...action, ...tookTime && { hops: 0 }, ...typed !== "" && { digits: typed } };
}

/**
 * Reports the end of a step, and resolves with the script of its action. Without an action, or where the
 * caller left or another script took over, the report wants no script.
 */
export async function reportEnd(
  { live, signal }: ScriptRun,
  event: LegEvent & { action?: Action | undefined },
): Promise<Script | void> {
  if (event.action !== undefined && !signal.aborted) {
    return await live.requestScript(event, { signal });
  }
  live.report(event);
}
