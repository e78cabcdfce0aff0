import type { Action } from "../protocol/action.ts";
import type { Script } from "../protocol/script.ts";
import { actionScript, type ScriptContext } from "../documents/next_script.ts";
import { isLive } from "../model/values/status.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import { newBase, withDefaults } from "../model/resource.ts";
import { type Queue, type QueueMember, queues } from "../model/resources/queues.ts";
import { dequeued, expected, positionOf } from "./queue_membership.ts";
import type { EnqueueOptions } from "../model/values/queue_options.ts";

/** The step that puts a call into the queue of a name. If it is full, the action is requested. */
export async function enqueueCall(
  { name, wait, most = limits.queueMembers }: EnqueueOptions,
  next: Action | undefined,
  context: ScriptContext,
): Promise<Script> {
  const { call } = context;
  const queue = await placeIn(name, most, context);
  if (queue.isFull) {
    if (next === undefined) return [];
    const params = queueParameters({ result: "queue-full", waitedS: 0, queueSid: queue.sid });
    return await actionScript(next, params, context);
  }
  if (call.companion === null) {
    throw new Fault("unavailable", "the call has no SIP companion any more");
  }
  return [{
    type: "queue",
    queueSid: queue.sid,
    ...wait !== undefined && { wait },
    ...next && { action: next },
  }];
}

/** Parameters of the request to the action of an Enqueue. */
export const queueParameters = (
  { result, waitedS, queueSid }: { result: string; waitedS: number; queueSid: string },
): Record<string, string> => ({
  QueueResult: result,
  QueueTime: String(waitedS),
  QueueSid: queueSid,
});

/** Parameters of the request for the wait document of a queue. */
export async function waitParameters(
  queueSid: string,
  { call, ports }: Pick<ScriptContext, "call" | "ports">,
): Promise<Record<string, string>> {
  const queue = await ports.records.queues.get(call.accountSid, queueSid);
  if (queue === null) return {};
  const position = positionOf(queue, call.sid);
  const member = queue.members[position - 1];
  const waitedMs = member === undefined ? 0 : waitOf(member, ports);
  return {
    QueueSid: queueSid,
    QueueTime: String(Math.round(waitedMs / 1000)),
    ...position > 0 && { QueuePosition: String(position) },
    CurrentQueueSize: String(queue.members.length),
  };
}

/** Waiting time of a call, in ms. */
export const waitOf = (
  { at, steadyAt }: Pick<QueueMember, "at" | "steadyAt">,
  { now, steadyNow }: Pick<Ports, "now" | "steadyNow">,
): number => Math.max(0, steadyAt === undefined ? now() - at : steadyNow() - steadyAt);

/** An account's queue of a name; null when the name was never used. */
export const findQueue = (
  name: string,
  accountSid: string,
  { records }: Pick<Ports, "records">,
): Promise<Queue | null> => records.queues.holder("ownName", `${accountSid}/${name}`);

/** An account's queue of a name, created if it does not exist. */
async function queueNamed(name: string, { call, ports }: ScriptContext): Promise<Queue> {
  const { accountSid } = call;
  const ownName = `${accountSid}/${name}`;
  for (let attempt = 0; attempt < limits.commitAttempts; attempt++) {
    const found = await findQueue(name, accountSid, ports);
    if (found !== null) return found;
    const fields = withDefaults(queues, { friendlyName: name, ownName });
    const record = { ...newBase(queues, accountSid, ports), ...fields } as Queue;
    try {
      return await ports.records.queues.insert({ record });
    } catch (error) {
      const isTaken = error instanceof Fault && error.fault === "alreadyExists";
      if (!isTaken) throw error; // Another call was first.
    }
  }
  throw new Fault("unavailable", `too many calls enter "${name}" at the same time; retry`);
}

/**
 * Reserves a place in the queue of a name. It is a commit: of several calls at once no more find a place
 * than there are, and no request removes the queue before the call is in it. Ended calls free their places.
 */
async function placeIn(
  name: string,
  wanted: number,
  context: ScriptContext,
): Promise<{ sid: string; isFull: boolean }> {
  const { call: { accountSid, sid: callSid }, ports } = context;
  let hasLooked = false;
  for (let attempt = 0; attempt < limits.commitAttempts; attempt++) {
    const found = await queueNamed(name, context);
    let isFull = false;
    const queue = await ports.records.queues.update(accountSid, found.sid, (now) => {
      const most = Math.min(now.maxSize ?? limits.queueMembers, wanted);
      const place = expected(now, { callSid, most, at: ports.steadyNow() });
      isFull = place.isFull;
      return place.change;
    }).catch((error) => {
      if (error instanceof Fault && error.fault === "notFound") return null; // It was removed.
      throw error;
    });
    if (queue === null) continue;
    if (!isFull || hasLooked) return { sid: queue.sid, isFull };
    hasLooked = true;
    await removeEnded(queue, ports);
  }
  throw new Fault("unavailable", `too many calls enter "${name}" at the same time; retry`);
}

async function removeEnded({ accountSid, sid, members }: Queue, ports: Ports): Promise<void> {
  for (const { callSid } of members) {
    const call = await ports.records.calls.get(accountSid, callSid);
    if (call !== null && isLive(call.status)) continue;
    await ports.records.queues.update(accountSid, sid, (queue) => dequeued(queue, callSid));
  }
}
