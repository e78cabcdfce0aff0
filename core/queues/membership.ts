import { limits } from "../base/limits.ts";
import type { Change } from "../model/store.ts";
import type { Queue, QueueMember } from "../resources/queues.ts";

/** The changes of a queue, as pure functions. Repeated events change nothing. */

/** A call joins the end of the queue. */
export function queued(
  queue: Queue,
  { callSid, at, companion }: Omit<QueueMember, "taken">,
): Change<Queue> {
  if (positionOf(queue, callSid) > 0) return { record: queue };
  const members = [...queue.members, { callSid, at, companion, taken: null }];
  return { record: { ...queue, members, dateUpdated: at } };
}

/** A call has left the queue. */
export function dequeued(queue: Queue, callSid: string): Change<Queue> {
  const members = queue.members.filter((member) => member.callSid !== callSid);
  return members.length === queue.members.length
    ? { record: queue }
    : { record: { ...queue, members } };
}

/** A call that takes waiting calls out of a queue. */
export interface Taker {
  by: string;
  at: number;
  /** Waiting calls that it could not reach. */
  unreached: readonly string[];
  /** Takers that have ended: calls assigned to them are free again. */
  ended: readonly string[];
}

/** The waiting call for a taker: the one already assigned to it, or the first unassigned one. */
export function nextOf(
  { members }: Queue,
  { by, at, unreached, ended }: Taker,
): QueueMember | undefined {
  const isFree = ({ taken }: QueueMember) =>
    taken === null || at - taken.at > limits.queueTakingMs || ended.includes(taken.by);
  const near = members.filter(({ callSid }) => !unreached.includes(callSid));
  return near.find(({ taken }) => taken?.by === by) ?? near.find(isFree);
}

/** Assigns the next waiting call to a taker, for a limited time; frees those it could not reach. */
export function given(queue: Queue, taker: Taker): Change<Queue> {
  const { by, at } = taker;
  const next = nextOf(queue, taker);
  const isOwn = ({ taken }: QueueMember) => taken?.by === by;
  const isRight = queue.members.every((member) => isOwn(member) === (member === next));
  if (isRight) return { record: queue };
  const members = queue.members.map((member) => {
    if (member === next) return isOwn(member) ? member : { ...member, taken: { by, at } };
    return isOwn(member) ? { ...member, taken: null } : member;
  });
  return { record: { ...queue, members } };
}

/** From 1; 0 for a call that does not wait. */
export const positionOf = ({ members }: Queue, callSid: string): number =>
  members.findIndex((member) => member.callSid === callSid) + 1;
