import type { Report } from "../protocol/companion.ts";
import type { NotedEvent } from "../protocol/note.ts";
import { performAction, type PerformedAction } from "../messages/perform_action.ts";
import type { Ports } from "../ports/ports.ts";
import type { StepResult } from "./step_result.ts";

/** The records of a `note` step, and the parameters for its action. */
export interface Noted extends Pick<PerformedAction, "also" | "jobs"> {
  result: StepResult | null;
}

/** Performs the `note` step of a call's script. Repeats of the report have the same result. */
export async function notedBy(
  { serviceContext, action }: NotedEvent,
  { accountSid, leg, at, seq }: Pick<Report, "accountSid" | "leg" | "at" | "seq">,
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
