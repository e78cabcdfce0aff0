import type { Action } from "../../protocol/action.ts";
import type { LegEvent } from "../../protocol/events.ts";
import type { Script } from "../../protocol/script.ts";
import type { Leg } from "./leg.ts";
import type { Line } from "./line.ts";

/** The end of a simulated step: its report, and the script of its action. */

/** The leg once a step has ended, and the script that comes in place of what is left. */
export interface Finished {
  leg: Leg;
  script: Script;
}

/** Lets a step end. */
export type Finisher<S> = (leg: Leg, step: S, line: Line) => Promise<Finished> | Finished;

/** The script goes on with its next step. */
export const goesOn = (leg: Leg): Finished => ({ leg, script: [] });

/** Reports the end of a step, and brings the script of its action, where it has one. */
export async function reported(
  leg: Leg,
  event: LegEvent & { action?: Action | undefined },
  line: Line,
  isOver = false,
): Promise<Finished> {
  const wantsScript = event.action !== undefined && !isOver;
  const script = await line.report(leg, { event, wantsScript });
  return { leg: { ...leg, seq: leg.seq + 1 }, script: wantsScript ? script : [] };
}

/** An action as it is handed back, and the leg that has handed it back (`sip/script/steps/script_run.ts`). */
export function carried(leg: Leg, action: Action): { handed: Leg; action: Action } {
  const { tookTime, typed } = leg.state;
  return {
    handed: { ...leg, state: { ...leg.state, typed: "" } },
    action: { ...action, ...tookTime && { hops: 0 }, ...typed !== "" && { digits: typed } },
  };
}

/** The leg that has taken input. */
export function withInput(
  leg: Leg,
  { keys, words }: { keys: string | undefined; words: string | undefined },
): Leg {
  const { gathers } = leg.state;
  const taken = {
    keys: gathers.keys + Number(keys !== undefined),
    words: gathers.words + Number(words !== undefined),
  };
  return { ...leg, state: { ...leg.state, gathers: taken } };
}
