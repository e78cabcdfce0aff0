import { limits } from "../base/limits.ts";
import type { Change } from "../model/store.ts";
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

/** A call that takes others out of a queue. */
export interface Taker {
  by: string;
  at: number;
  /** Those in it that it could not reach. */
  unreached: readonly string[];
  /** Takers that have ended: their reserved calls are free again. */
  ended: readonly string[];
}

/** The waiting call for a taker: the one reserved for it already, or the first that is free. */
export function nextOf(
  { members }: Queue,
  { by, at, unreached, ended }: Taker,
): QueueMember | undefined {
  const isFree = ({ taken }: QueueMember) =>
    taken === null || at - taken.at > limits.queueTakingMs || ended.includes(taken.by);
  const near = members.filter(({ callSid }) => !unreached.includes(callSid));
  return near.find(({ taken }) => taken?.by === by) ?? near.find(isFree);
}

/** Reserves the next waiting call for a taker, for as long as taking may last, and frees those that it could not reach. */
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

/** From 1; 0 for who does not wait. */
export const positionOf = ({ members }: Queue, callSid: string): number =>
  members.findIndex((member) => member.callSid === callSid) + 1;
