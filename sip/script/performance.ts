import type { Action } from "../../core/bridge_action.ts";
import type { Calls } from "./calls.ts";
import type { LiveLeg } from "./live_leg.ts";

/** A script at work on a leg. */
export interface Performance {
  calls: Calls;
  live: LiveLeg;
  /** Aborts when the leg ended or another script took over. */
  signal: AbortSignal;
  /** Whether a step of the script let time pass. */
  tookTime: boolean;
}

/** An action as it is handed back: only documents in a row that take no time are counted. */
export const carried = ({ tookTime }: Performance, action: Action): Action =>
  tookTime ? { ...action, hops: 0 } : action;
