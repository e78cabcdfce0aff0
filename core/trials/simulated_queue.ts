import type { LegEvent } from "../protocol/events.ts";
import type { Action } from "../protocol/action.ts";
import { queueParameters } from "../conferences/enqueue.ts";
import { queues } from "../model/resources/queues.ts";
import {
  dequeueOptions,
  type EnqueueOptions,
  enqueueOptions,
} from "../model/values/queue_options.ts";
import { type Run, takeInput } from "./run_flow.ts";

/** Queues of a dry run: no store has them, and the inputs decide what happens to the caller. */

/** Seconds of a wait, and of a conversation, that no input says. */
const [usualWaitS, usualTalkS] = [30, 60];

/** Result of leaving a queue: an event, or the parameters of a caller who did not get in. */
type Left = { event: LegEvent } | { action: Action | undefined; params: Record<string, string> };

/** The order to enter a queue in a `consult`; null for another order. */
export const enqueueOrder = (serviceContext: unknown): EnqueueOptions | null =>
  enqueueOptions.safeParse(serviceContext).data ?? null;

/** True for a `consult` that takes the next caller of a queue. */
export const isDequeue = (serviceContext: unknown): boolean =>
  dequeueOptions.safeParse(serviceContext).success;

/** Waits in a queue, as the next input says. */
export function waitInQueue(action: Action | undefined, run: Run): Left {
  const input = takeInput(run, ["queue", "hangup"]);
  run.hasHungUp ||= input.type === "hangup" || input.hangup === true;
  const queueSid = run.ports.newSid(queues.sidPrefix);
  const result = input.type === "hangup" ? "hangup" : input.result;
  if (result === "queue-full") {
    return { action, params: queueParameters({ result, waitedS: 0, queueSid }) };
  }
  const asked = input.type === "hangup" ? undefined : input.seconds;
  const waitedS = result === "error" ? 0 : asked ?? usualWaitS;
  return { event: { type: "dequeued", queueSid, result, waitedS, ...action && { action } } };
}

/** Takes the next caller of a queue, as the next input says: `no-answer` is an empty one. */
export function takeFromQueue(action: Action | undefined, run: Run): Left {
  const input = takeInput(run, ["call", "hangup"]);
  run.hasHungUp ||= input.type === "hangup" || input.hangup === true;
  if (action === undefined || input.type === "hangup" || input.status !== "completed") {
    return { action, params: { DialCallStatus: "no-answer", DialCallDuration: "0" } };
  }
  const durationS = input.seconds ?? usualTalkS;
  const leg = run.ports.newSid("CA");
  const outcome = "completed" as const;
  return { event: { type: "dialled", outcome, leg, durationS, ringS: 0, action } };
}
