import type { Report } from "../protocol/companion.ts";
import type { NotedEvent } from "../protocol/note.ts";
import { performAction, type PerformedAction } from "../messages/perform_action.ts";
import type { Ports } from "../ports/ports.ts";
import type { StepResult } from "./step_result.ts";

/** What a `note` of a call's script makes, and the parameters of its action. */
export interface Noted extends Pick<PerformedAction, "also" | "jobs"> {
  result: StepResult | null;
}

/** Carries out what a call's script has come to; the same for each repeat of the report. */
export async function notedBy(
  { serviceContext, action }: NotedEvent,
  { accountSid, leg, at, seq }: Report,
  ports: Ports,
): Promise<Noted> {
  const cause = { at, id: `${leg} ${seq}` };
  const { told, ...made } = await performAction(
    serviceContext,
    { accountSid, callSid: leg, cause },
    ports,
  );
  const result = action === undefined ? null : { action, params: told, event: "order.action" };
  return { ...made, result };
}
