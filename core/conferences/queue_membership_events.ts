import type { DatedReport } from "../protocol/companion.ts";
import type { LegEvent } from "../protocol/events.ts";
import { steadyFrom } from "../base/steady_clock.ts";
import { isLive } from "../model/values/status.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { dequeued, queued } from "./queue_membership.ts";

/**
 * Calls that wait in a queue, by the reports of their legs; `call` is as the report left it. The `queueSid`
 * of the call decides, so that a report that comes late or twice is harmless.
 */

/** Takes the leg into its queue. */
export async function takeQueued(
  { queueSid: sid }: LegEvent & { type: "queued" },
  call: Call,
  { at, leg: callSid, companion, ...report }: DatedReport,
  ports: Ports,
): Promise<void> {
  const { accountSid } = call;
  const { steadyAt = steadyFrom(at, ports) } = report;
  const { calls, queues } = ports.records;
  if (!waitsIn(call, sid) || await queues.get(accountSid, sid) === null) return;
  await queues.update(
    accountSid,
    sid,
    (queue) => queued(queue, { callSid, at, steadyAt, companion }),
  );
  // A later report may have been taken meanwhile, before the call was in the queue.
  const now = await calls.get(accountSid, callSid);
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
