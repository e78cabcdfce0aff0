import type { Action } from "../protocol/action.ts";
import type { RemoteCompanion } from "../protocol/peers.ts";
import type { Script } from "../protocol/script.ts";
import { actionScript, type ScriptContext } from "../documents/next_script.ts";
import { isLive } from "../model/values/status.ts";
import { remoteCompanionOf } from "../companions/companions.ts";
import { Fault } from "../base/faults.ts";
import { notify } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Queue } from "../model/resources/queues.ts";
import { findQueue } from "./enqueue.ts";
import { dequeued, given, isRequest, nextOf } from "./queue_membership.ts";
import type { DequeueOptions } from "../model/values/queue_options.ts";

/** Pause before an empty queue is read again. */
const LOOK_AGAIN_S = 1;

/**
 * The step that connects a call to the longest-waiting call of a queue, or waits for one. Repeated
 * requests of the same call get the same waiting call, until that one has left.
 */
export async function dequeueCall(
  wanted: DequeueOptions,
  next: Action | undefined,
  context: ScriptContext,
): Promise<Script> {
  const { call, ports } = context;
  const { timeoutS, gone, unreached, until = ports.steadyNow() + timeoutS * 1000, ...kept } =
    wanted;
  const passed = [...kept.passed ?? [], ...unreached === undefined ? [] : [unreached]];
  const serviceContext = { ...kept, timeoutS, until, ...passed.length > 0 && { passed } };
  const queue = await findQueue(wanted.name, call.accountSid, ports);
  if (queue !== null && gone !== undefined) await takeOut(queue, gone, ports);
  if (unreached !== undefined) await notifyUnreached(wanted, unreached, context);
  const taken = queue && await takeNext(queue, passed, context);
  const { timeLimitS, hangupOnStar, record, recordingManner, whisper } = wanted;
  if (taken) {
    const { leg, at } = taken;
    const pickup = { type: "pickup", leg, serviceContext, timeLimitS, hangupOnStar } as const;
    const dequeuing = { DequeingCallSid: call.sid };
    const manner = {
      ...at && { at },
      ...whisper && { whisper: { ...whisper, params: { ...whisper.params, ...dequeuing } } },
      ...record && { record, ...recordingManner && { recordingManner } },
      ...next && { action: next },
    };
    return [{ ...pickup, ...manner }];
  }
  if (ports.steadyNow() < until) {
    const consult = { type: "consult", serviceContext, ...next && { action: next } } as const;
    return [{ type: "silence", seconds: LOOK_AGAIN_S }, consult];
  }
  if (next === undefined) return [];
  return await actionScript(next, { DialCallStatus: "no-answer", DialCallDuration: "0" }, context);
}

const takeOut = ({ accountSid, sid }: Queue, callSid: string, { records }: Ports) =>
  records.queues.update(accountSid, sid, (queue) => dequeued(queue, callSid));

/**
 * The next waiting call that has not ended, with its companion where that is not the taker's. Ended
 * calls are removed. Calls of a lost companion stay: the sweep closes them.
 */
async function takeNext(
  found: Queue,
  passed: readonly string[],
  { call, ports }: ScriptContext,
): Promise<{ leg: string; at?: RemoteCompanion } | undefined> {
  const { accountSid, sid, members } = found;
  const hasEnded = async (callSid: string) => {
    const other = await ports.records.calls.get(accountSid, callSid);
    return other === null || !isLive(other.status);
  };
  if (call.companion === null) {
    throw new Fault("unavailable", "the call has no SIP companion any more");
  }
  const unreached = [...passed];
  const ended: string[] = [];
  for (const { taken } of members) {
    if (taken && !isRequest(taken.by) && await hasEnded(taken.by)) ended.push(taken.by);
  }
  while (true) {
    const taker = { by: call.sid, at: ports.steadyNow(), unreached, ended };
    const queue = await ports.records.queues.update(accountSid, sid, (now) => given(now, taker));
    const member = nextOf(queue, taker);
    if (member === undefined) return undefined;
    const { callSid: leg, companion } = member;
    if (await hasEnded(leg)) {
      await takeOut(queue, leg, ports);
      continue;
    }
    const at = await remoteCompanionOf(companion, call.companion, ports);
    if (at !== null) return { leg, ...at && { at } };
    unreached.push(leg);
  }
}

function notifyUnreached(
  { name }: DequeueOptions,
  leg: string,
  { call: { accountSid, sid: callSid }, ports, cause }: ScriptContext,
): Promise<void> {
  const detail = `${leg} waits in "${name}" at a companion that is unreachable`;
  const notice = { accountSid, callSid, fault: "queueUnreached", detail, cause } as const;
  return notify({ ...notice, level: "error" }, ports);
}
