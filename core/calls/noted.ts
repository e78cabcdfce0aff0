import type { Report } from "../bridge.ts";
import type { NotedEvent } from "../bridge_note.ts";
import type { Script } from "../bridge_script.ts";
import { type CarriedOut, carryOut } from "../orders/carry_out.ts";
import type { Change, Ports } from "../ports.ts";
import type { Call } from "../resources/calls.ts";
import { actionTold } from "./action_told.ts";
import { actionScript, type Asking } from "./next_script.ts";

/** What a `note` of a call's script has the service do; the same for each repeat of its report. */
export function carryOutNoted(
  { memo }: NotedEvent,
  { accountSid, leg, at, seq }: Report,
  ports: Ports,
): Promise<CarriedOut> {
  const cause = { at, id: `${leg} ${seq}` };
  return carryOut(memo, { accountSid, callSid: leg, cause }, ports);
}

/** Adds it to the change of the call; the action of one who has left is told all the same. */
export function withNoted(
  { action }: NotedEvent,
  { also, jobs, told }: CarriedOut,
  { call, wantsScript, ports }: { call: Call; wantsScript: boolean; ports: Ports },
): Change<Call> {
  const change = wantsScript || action === undefined
    ? { record: call }
    : actionTold(call, { action, brought: told, event: "order.action" }, ports);
  return { ...change, also, jobs: [...change.jobs ?? [], ...jobs] };
}

/** The script of its action; without one the script goes on. */
export async function notedScript(
  { action }: NotedEvent,
  { told }: CarriedOut,
  asking: Asking,
): Promise<Script> {
  return action === undefined ? [] : await actionScript(action, told, asking);
}
