import { z } from "zod";
import type { Action } from "../bridge_action.ts";
import { recordingOrder } from "../bridge_recordings.ts";
import type { Script } from "../bridge_script.ts";
import { actionScript, type Asking } from "../calls/next_script.ts";
import { isLive } from "../calls/status.ts";
import { notify } from "../notify.ts";
import type { Ports } from "../ports.ts";
import type { Queue, QueueMember } from "../resources/queues.ts";
import { findQueue } from "./enqueue.ts";
import { dequeued, given, nextOf } from "./membership.ts";

/** What a Queue noun asks for; the companion hands it back when its turn comes, and once a second. */
export const dequeueWanted = z.object({
  kind: z.literal("dequeue"),
  name: z.string(),
  /** For how long somebody is waited for. */
  timeoutS: z.number(),
  timeLimitS: z.number(),
  hangupOnStar: z.boolean(),
  record: recordingOrder.optional(),
  /** Until when, in ms; from the second time on. */
  until: z.number().optional(),
  /** Who was given before and does not wait any more. */
  gone: z.string().optional(),
});

export type DequeueWanted = z.infer<typeof dequeueWanted>;

/** How long it is until an empty queue is looked at again. */
const LOOK_AGAIN_S = 1;

/**
 * The step that talks to who waits longest in the queue of a name, or waits for somebody to come. The
 * same call is given the same one, however often it asks, until that one is gone.
 */
export async function dequeueCall(
  wanted: DequeueWanted,
  next: Action | undefined,
  asking: Asking,
): Promise<Script> {
  const { call, ports } = asking;
  const { timeoutS, gone, until = ports.now() + timeoutS * 1000, ...kept } = wanted;
  const memo = { ...kept, timeoutS, until };
  const queue = await findQueue(wanted.name, call.accountSid, ports);
  if (queue !== null && gone !== undefined) await takeOut(queue, gone, ports);
  const member = queue && await takeNext(queue, asking);
  const { timeLimitS, hangupOnStar, record } = wanted;
  if (member) {
    const pickup = { type: "pickup", leg: member.callSid, memo, timeLimitS, hangupOnStar } as const;
    return [{ ...pickup, ...record && { record }, ...next && { action: next } }];
  }
  const isElsewhere = queue !== null && await waitsElsewhere(queue, asking);
  if (!isElsewhere && ports.now() < until) {
    const consult = { type: "consult", memo, ...next && { action: next } } as const;
    return [{ type: "silence", seconds: LOOK_AGAIN_S }, consult];
  }
  if (next === undefined) return [];
  const status = isElsewhere ? "failed" : "no-answer";
  return await actionScript(next, { DialCallStatus: status, DialCallDuration: "0" }, asking);
}

const takeOut = ({ accountSid, sid }: Queue, callSid: string, { records }: Ports) =>
  records.queues.update(accountSid, sid, (queue) => dequeued(queue, callSid));

/** The next whose call has not ended; those whose call has are taken out. */
async function takeNext(
  { accountSid, sid }: Queue,
  { call, ports }: Asking,
): Promise<QueueMember | undefined> {
  const { queues, calls } = ports.records;
  const taker = { by: call.sid, companionId: call.companion?.id ?? "" };
  while (true) {
    const now = { ...taker, at: ports.now() };
    const queue = await queues.update(accountSid, sid, (found) => given(found, now));
    const member = nextOf(queue, now);
    if (member === undefined) return undefined;
    const waiting = await calls.get(accountSid, member.callSid);
    if (waiting !== null && isLive(waiting.status)) return member;
    await takeOut(queue, member.callSid, ports);
  }
}

/** Whether all who wait do so at other companions; that is noted. */
async function waitsElsewhere(
  { accountSid, sid, friendlyName }: Queue,
  { call, ports, cause }: Asking,
): Promise<boolean> {
  const queue = await ports.records.queues.get(accountSid, sid);
  const members = queue?.members ?? [];
  const isHere = ({ companion }: QueueMember) => companion.id === call.companion?.id;
  if (members.length === 0 || members.some(isHere)) return false;
  const detail = `those in "${friendlyName}" wait at another companion`;
  const notice = { accountSid, callSid: call.sid, detail, level: "error", cause } as const;
  await notify({ ...notice, fault: "queueElsewhere" }, ports);
  return true;
}
