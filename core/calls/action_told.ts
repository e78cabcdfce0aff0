import type { Report } from "../bridge.ts";
import type { Action } from "../bridge_action.ts";
import type { LegEvent } from "../bridge_events.ts";
import type { PartialSpeech } from "../bridge_gather.ts";
import { deliverWebhook } from "../jobs/deliver_webhook.ts";
import { notification } from "../notify.ts";
import type { Change, Ports } from "../ports.ts";
import { queueParameters } from "../queues/enqueue.ts";
import type { Call } from "../resources/calls.ts";
import {
  callParameters,
  partialParameters,
  referParameters,
  roomParameters,
} from "./parameters.ts";

/** The caller left inside a Dial or Refer: its action is still requested, and the answer ignored. */
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

/** A call is no longer in a Conference; the action of one that left with it is told all the same. */
export function afterRoom(
  call: Call,
  event: LegEvent & { type: "left" },
  { wantsScript }: Report,
  ports: Ports,
): Change<Call> {
  if (wantsScript) return { record: call };
  const brought = roomParameters(event);
  return actionTold(call, { action: event.action, brought, event: "dial.action" }, ports);
}

/** The same of a queue. */
export function afterQueue(
  call: Call,
  event: LegEvent & { type: "dequeued" },
  { wantsScript }: Report,
  ports: Ports,
): Change<Call> {
  if (wantsScript) return { record: call };
  const brought = queueParameters(event);
  return actionTold(call, { action: event.action, brought, event: "enqueue.action" }, ports);
}

/** What became of a Refer; a failure is told of where there is an action, too. */
export function referred(
  call: Call,
  event: LegEvent & { type: "referred" },
  { wantsScript }: Report,
  ports: Ports,
): Change<Call> {
  const { to, outcome, sipStatus, action } = event;
  const change = wantsScript
    ? { record: call }
    : actionTold(call, { action, brought: referParameters(event), event: "refer.action" }, ports);
  if (outcome === "completed" || outcome === "canceled") return change;
  const { accountSid, sid: callSid } = call;
  const detail = `${to}: ${outcome}${sipStatus === undefined ? "" : ` (SIP ${sipStatus})`}`;
  const notice = { accountSid, callSid, fault: "referFailed", detail, level: "error" } as const;
  return { ...change, also: [notification(notice, ports)] };
}

/** What a caller said so far, to whom a Gather wants it told. */
export function partialTold(call: Call, event: PartialSpeech, { settings }: Ports): Change<Call> {
  const { accountSid, sid: callSid } = call;
  const { url, method } = event.callback;
  const params = { ...callParameters(call, settings), ...partialParameters(event) };
  return { record: call, jobs: [deliverWebhook({ accountSid, callSid, url, method, params })] };
}
