import type { UssdStep } from "../../protocol/ussd.ts";
import type { Leg } from "./leg.ts";
import type { Line } from "./line.ts";
import { carried, type Finished, goesOn, reported, withInput } from "./step_end.ts";

/**
 * Lets a text of a USSD dialogue be replied to, by the keys that the number presses; a dialogue whose
 * text wants no reply, or gets none, ends.
 */
export async function endUssd(
  leg: Leg,
  { collect, action: wanted }: UssdStep,
  line: Line,
): Promise<Finished> {
  const text = collect ? leg.state.behaviour.presses[leg.state.gathers.keys] : undefined;
  if (text === undefined) return { leg, script: [{ type: "hangup" }] };
  const taken = withInput(leg, { keys: text, words: undefined });
  if (wanted === undefined) return goesOn({ ...taken, state: { ...taken.state, typed: text } });
  const { handed, action } = carried(taken, wanted);
  return await reported(handed, { type: "collected", text, action }, line);
}
