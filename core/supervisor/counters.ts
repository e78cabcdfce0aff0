import { isLive } from "../model/values/status.ts";
import { faults } from "../base/faults.ts";
import type { Records } from "../model/ports/ports.ts";
import type { Base } from "../base/record.ts";
import type { AlsoInserted } from "../model/record_types.ts";
import type { Change, Collection } from "../model/store.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Message } from "../model/resources/messages.ts";
import { counterNames, type Counters } from "../model/values/counter_names.ts";

const outcomes: Partial<Record<Call["status"], keyof Counters>> = {
  "completed": "CompletedCalls",
  "no-answer": "NoAnswerCalls",
  "busy": "BusyCalls",
  "failed": "FailedCalls",
  "canceled": "CanceledCalls",
};

/** Observer of calls and messages that this instance has written. */
export interface WriteObserver {
  onNewCall(call: Call): void;
  onEndedCall(call: Call): void;
  onNewMessage(message: Message): void;
}

/**
 * Counts calls and messages of this instance. It observes writes that succeed, so no use case has to
 * count, and a repeat that changes nothing counts once. `observer` receives the same writes.
 */
export function counting(
  records: Records,
  observer: Partial<WriteObserver> = {},
): { records: Records; counters: Counters } {
  const counters = Object.fromEntries(counterNames.map((name) => [name, 0])) as Counters;

  function countCall(before: Call | null, after: Call): void {
    if (before === null) {
      observer.onNewCall?.(after);
      counters.TotalCallsSinceUptime++;
      if (after.direction === "inbound") counters.IncomingCallsSinceUptime++;
      else counters.OutgoingCallsSinceUptime++;
    }
    const outcome = outcomes[after.status];
    const hasEnded = (before === null || isLive(before.status)) && !isLive(after.status);
    if (!hasEnded) return;
    if (outcome !== undefined) counters[outcome]++;
    observer.onEndedCall?.(after);
  }

  function countMessage(before: Message | null, after: Message): void {
    if (before === null) countNewMessage(after);
    const isUnroutable = after.errorCode === faults.noMessageRoute.code;
    if (isUnroutable && before?.errorCode !== after.errorCode) counters.TextMessageNotFound++;
  }

  /** A message of a Client counts as inbound, also to another Client; others as outbound. */
  function countNewMessage(message: Message): void {
    observer.onNewMessage?.(message);
    const { direction, from, to, status } = message;
    const isOfClient = direction === "outbound-call" && from.startsWith("client:");
    if (direction === "inbound") {
      if (!to.startsWith("client:")) counters.TextMessageInboundToApp++;
    } else if (!isOfClient) counters.TextMessageOutbound++;
    else if (to.startsWith("client:") && status !== "failed") counters.TextMessageInboundToClient++;
  }

  function countAlso(also: AlsoInserted[]): void {
    const noRoute = also.filter(({ into, record }) =>
      into === "notifications" && "errorCode" in record && record.errorCode === faults.noRoute.code
    );
    counters.NotFoundCalls += noRoute.length;
    for (const { into, record } of also) {
      if (into === "messages") countNewMessage(record as Message);
    }
  }

  const watched: Records = {
    ...records,
    calls: watching(records.calls, { changed: countCall, also: countAlso }),
    messages: watching(records.messages, { changed: countMessage, also: countAlso }),
    notifications: watching(records.notifications, {
      changed: (_, record) => countAlso([{ into: "notifications", record }]),
      also: countAlso,
    }),
  };
  return { records: watched, counters };
}

interface Watcher<T> {
  /** A write that succeeded; `before` is null for a new record. */
  changed(before: T | null, after: T): void;
  /** The other records that a write made. */
  also(made: AlsoInserted[]): void;
}

/** A collection that reports each write that changed a record to a watcher. */
function watching<T extends Base>(collection: Collection<T>, watcher: Watcher<T>): Collection<T> {
  return {
    ...collection,
    insert: watchedInsert(collection.insert, watcher),
    insertSoon: watchedInsert(collection.insertSoon, watcher),
    update: watchedUpdate(collection.update, watcher),
  };
}

const watchedInsert =
  <T extends Base>(insert: Collection<T>["insert"], watcher: Watcher<T>): Collection<T>["insert"] =>
  async (change) => {
    const record = await insert(change);
    watcher.changed(null, record);
    watcher.also(change.also ?? []);
    return record;
  };

const watchedUpdate =
  <T extends Base>(update: Collection<T>["update"], watcher: Watcher<T>): Collection<T>["update"] =>
  async (accountSid, sid, change) => {
    let last: { before: T; made: Change<T> } | undefined;
    const record = await update(accountSid, sid, (before) => {
      last = { before, made: change(before) };
      return last.made;
    });
    if (last !== undefined) {
      watcher.changed(last.before, record);
      watcher.also(last.made.also ?? []);
    }
    return record;
  };
