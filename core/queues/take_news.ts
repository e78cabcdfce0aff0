import type { Report } from "../protocol/companion.ts";
import { isLive } from "../values/status.ts";
import type { Ports } from "../ports/ports.ts";
import type { Call } from "../resources/calls.ts";
import { dequeued, queued } from "./membership.ts";

/**
 * Takes what a report says about who waits in which queue; `call` is as that report left it. As with
 * rooms, what the call says of itself decides.
 */
export async function takeQueueNews(
  { event, at, leg: callSid, companion }: Report,
  call: Call,
  ports: Ports,
): Promise<void> {
  if (event.type === "dequeued") return await leaveQueue(call, event.queueSid, ports);
  if (event.type === "ended") return await leaveQueue(call, call.queueSid, ports);
  if (event.type !== "queued" || !waitsIn(call, event.queueSid)) return;

  const { accountSid } = call;
  const { queueSid: sid } = event;
  if (await ports.records.queues.get(accountSid, sid) === null) return;
  const member = { callSid, at, companion };
  await ports.records.queues.update(accountSid, sid, (queue) => queued(queue, member));
  // A later report may have been taken meanwhile, and found nobody to take out.
  const now = await ports.records.calls.get(accountSid, callSid);
  if (now === null || !waitsIn(now, sid)) await leaveQueue(call, sid, ports);
}

/** Takes a call out of a queue, if it is there. */
export async function leaveQueue(
  { accountSid, sid: callSid }: Call,
  queueSid: string | null | undefined,
  { records }: Ports,
): Promise<void> {
  if (!queueSid || await records.queues.get(accountSid, queueSid) === null) return;
  await records.queues.update(accountSid, queueSid, (queue) => dequeued(queue, callSid));
}

const waitsIn = ({ queueSid, status }: Call, sid: string): boolean =>
  queueSid === sid && isLive(status);
