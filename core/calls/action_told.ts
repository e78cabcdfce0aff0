import type { Action } from "../bridge_action.ts";
import { deliverWebhook } from "../jobs/deliver_webhook.ts";
import type { Change, Ports } from "../ports.ts";
import type { Call } from "../resources/calls.ts";
import { callParameters } from "./parameters.ts";

/** The caller left inside a step: its action is still requested, and the answer ignored. */
export function actionTold(
  call: Call,
  { action, brought, event }: {
    action: Action | undefined;
    brought: Record<string, string>;
    event: string;
  },
  { settings }: Ports,
): Change<Call> {
  if (action === undefined) return { record: call };
  const { accountSid, sid: callSid } = call;
  const { url, method } = action;
  const params = { ...callParameters(call, settings), ...brought };
  const told = { accountSid, callSid, url, method, params, event };
  return { record: call, jobs: [deliverWebhook(told)] };
}
