import type { Action } from "../bridge_action.ts";
import type { LegEvent } from "../bridge_events.ts";
import type { Ports } from "../ports.ts";
import { recordingParameters } from "../recordings/parameters.ts";
import { dialParameters } from "./parameters.ts";

/** What a step came to, for the document at its action. */
export interface StepResult {
  action: Action;
  params: Record<string, string>;
}

/** The result that a report brings; null where it brings none, or the step has no action. */
export async function resultOf(
  event: LegEvent,
  accountSid: string,
  ports: Ports,
): Promise<StepResult | null> {
  if (event.type !== "dialled" && event.type !== "recorded") return null;
  const { action } = event;
  if (action === undefined) return null;
  const recording = await recordingParameters(accountSid, event.recording, ports);
  if (event.type === "dialled") {
    return { action, params: { ...dialParameters(event), ...recording } };
  }
  const digits: Record<string, string> = event.digits ? { Digits: event.digits } : {};
  return { action, params: { ...recording, ...digits } };
}
