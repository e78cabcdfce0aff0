import { limits } from "../base/limits.ts";
import type { Change } from "../model/store.ts";
import type { Queue, QueueMember } from "../model/resources/queues.ts";

/** The changes of a queue, as pure functions. Repeated events change nothing. */

/** The calls that are on their way into a queue now. */
export const arrivingNow = ({ arriving = [] }: Queue, at: number): NonNullable<Queue["arriving"]> =>
  arriving.filter((one) => at - one.at < limits.queueArrivingMs);

/**
 * Reserves a place for a call that is joining, for `limits.queueArrivingMs`, so that the queue is not removed
 * and takes no more than `most`. Nothing changes where it is full.
 */
export function expected(
  queue: Queue,
  { callSid, most, at }: { callSid: string; most: number; at: number },
): { change: Change<Queue>; isFull: boolean } {
  const others = arrivingNow(queue, at).filter((one) => one.callSid !== callSid);
  const isFull = queue.members.length + others.length >= most;
  if (isFull) return { change: { record: queue }, isFull };
  return { change: { record: { ...queue, arriving: [...others, { callSid, at }] } }, isFull };
}

const arrived = ({ arriving = [] }: Queue, callSid: string): NonNullable<Queue["arriving"]> =>
  arriving.filter((one) => one.callSid !== callSid);

/** A call joins the end of the queue. */
export function queued(
  queue: Queue,
  { callSid, at, steadyAt, companion }: Omit<QueueMember, "taken"> & { steadyAt: number },
): Change<Queue> {
  if (positionOf(queue, callSid) > 0) return { record: queue };
  const members = [...queue.members, { callSid, at, steadyAt, companion, taken: null }];
  return { record: { ...queue, members, arriving: arrived(queue, callSid), dateUpdated: at } };
}

/** A call has left the queue. */
export function dequeued(queue: Queue, callSid: string): Change<Queue> {
  const members = queue.members.filter((member) => member.callSid !== callSid);
  const arriving = arrived(queue, callSid);
  const isThere = members.length < queue.members.length ||
    arriving.length < (queue.arriving ?? []).length;
  return { record: isThere ? { ...queue, members, arriving } : queue };
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

/** Names a request of the REST interface that takes a waiting call; all other takers are calls. */
export const requestTaker = (id: string): string => `request ${id}`;

/** Returns whether a taker is a request: it never ends, and loses its call when its time is over. */
export const isRequest = (by: string): boolean => by.startsWith("request ");

/** Returns whether a waiting call is assigned to no taker now. */
export const isFree = ({ taken }: QueueMember, at: number): boolean =>
  taken === null || at - taken.at > limits.queueTakingMs;

/**
 * Assigns a waiting call to the request `by`: the call of a Sid, or the first unassigned one. The
 * member is undefined, and the queue unchanged, where there is none.
 */
export function claimed(
  queue: Queue,
  { by, at, callSid }: { by: string; at: number; callSid?: string | undefined },
): { change: Change<Queue>; member: QueueMember | undefined } {
  const member = queue.members.find((one) =>
    isFree(one, at) && (callSid === undefined || one.callSid === callSid)
  );
  const taken = { by, at };
  const members = queue.members.map((one) => one === member ? { ...one, taken } : one);
  return { change: { record: member === undefined ? queue : { ...queue, members } }, member };
}

/** Frees the call that a taker was assigned. */
export const released = (queue: Queue, by: string): Change<Queue> => ({
  record: {
    ...queue,
    members: queue.members.map((one) => one.taken?.by === by ? { ...one, taken: null } : one),
  },
});

/** The waiting call for a taker: the one already assigned to it, or the first unassigned one. */
export function nextOf(
  { members }: Queue,
  { by, at, unreached, ended }: Taker,
): QueueMember | undefined {
  const isOpen = (member: QueueMember) =>
    isFree(member, at) || member.taken !== null && ended.includes(member.taken.by);
  const near = members.filter(({ callSid }) => !unreached.includes(callSid));
  return near.find(({ taken }) => taken?.by === by) ?? near.find(isOpen);
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

/** Position of a call in a queue, from 1; 0 for a call that does not wait. */
export const positionOf = ({ members }: Queue, callSid: string): number =>
  members.findIndex((member) => member.callSid === callSid) + 1;
