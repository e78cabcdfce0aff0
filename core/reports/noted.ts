import type { Fault } from "../base/faults.ts";
import type { Report } from "../protocol/companion.ts";
import type { NotedEvent } from "../protocol/note.ts";
import { performAction, type PerformedAction } from "../messages/perform_action.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { StepResult } from "./step_result.ts";

/** The records of a `note` step, and the parameters for its action. */
export interface Noted extends Pick<PerformedAction, "also" | "jobs"> {
  result: StepResult | null;
  /** The same where a limit of the account refuses the commit. */
  instead?(refusal: Fault): Noted;
}

/** Performs the `note` step of a call's script. Repeats of the report have the same result. */
export async function notedBy(
  { serviceContext, action }: NotedEvent,
  { accountSid, leg, at, seq }: Pick<Report, "accountSid" | "leg" | "at" | "seq">,
  ports: Ports,
): Promise<Noted> {
  const cause = { at, id: `${leg} ${seq}` };
  const ordering = { accountSid, callSid: leg, cause };
  const notedOf = ({ params, also, jobs }: PerformedAction): Noted => ({
    also,
    jobs,
    result: action === undefined ? null : { action, params, event: "order.action" },
  });
  const performed = await performAction(serviceContext, ordering, ports);
  const { instead } = performed;
  return {
    ...notedOf(performed),
    ...instead && { instead: (refusal) => notedOf(instead(refusal)) },
  };
}
