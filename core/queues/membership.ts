import { limits } from "../limits.ts";
import type { Change } from "../ports.ts";
import type { Queue, QueueMember } from "../resources/queues.ts";

/** What becomes of a queue, as pure functions. News that come again change nothing. */

/** A call begins to wait, as the last one. */
export function queued(
  queue: Queue,
  { callSid, at, companion }: Omit<QueueMember, "taken">,
): Change<Queue> {
  if (positionOf(queue, callSid) > 0) return { record: queue };
  const members = [...queue.members, { callSid, at, companion, taken: null }];
  return { record: { ...queue, members, dateUpdated: at } };
}

/** A call waits no longer. */
export function dequeued(queue: Queue, callSid: string): Change<Queue> {
  const members = queue.members.filter((member) => member.callSid !== callSid);
  return members.length === queue.members.length
    ? { record: queue }
    : { record: { ...queue, members } };
}

/** Who is to be taken by a call: whom it was given already, or the first who is nobody's. */
export function nextOf(
  { members }: Queue,
  { by, at, companionId }: { by: string; at: number; companionId: string },
): QueueMember | undefined {
  const isFree = ({ taken }: QueueMember) => taken === null || at - taken.at > limits.queueTakingMs;
  const here = members.filter(({ companion }) => companion.id === companionId);
  return here.find(({ taken }) => taken?.by === by) ?? here.find(isFree);
}

/** Gives the next one to a call, for as long as taking may last. */
export function given(
  queue: Queue,
  taker: { by: string; at: number; companionId: string },
): Change<Queue> {
  const next = nextOf(queue, taker);
  if (next === undefined || next.taken?.by === taker.by) return { record: queue };
  const taken = { by: taker.by, at: taker.at };
  const members = queue.members.map((member) => member === next ? { ...next, taken } : member);
  return { record: { ...queue, members } };
}

/** From 1; 0 for who does not wait. */
export const positionOf = ({ members }: Queue, callSid: string): number =>
  members.findIndex((member) => member.callSid === callSid) + 1;
