import { eventLimits } from "../../core/webhooks/event_limits.ts";
import type { ChangeFeed, RecordChange } from "../../core/model/ports/change_feed.ts";

/** Why a stream ends; the reader may connect again unless it lost its access. */
type End = "complete" | "slow" | "shutdown" | "access";

const messages: Record<End, string> = {
  complete: "These were the events so far.",
  slow: "Too many events waited to be read. Connect again with the id of the last one.",
  shutdown: "The service stops. Connect again with the id of the last event.",
  access: "The credentials are no longer valid.",
};

export interface EventStreamOptions {
  feed: ChangeFeed;
  accountSid: string;
  /** The id of the last event that the reader knows. */
  after: string | null;
  isWanted(change: RecordChange): boolean;
  /** The event's data as JSON. */
  textOf(change: RecordChange): Promise<string>;
  /** True while the reader may read. */
  isAllowed(): Promise<boolean>;
  /** False: the stream ends after past events. */
  follows: boolean;
  onClosed(): void;
  /** Does work for the reader within its tenant's share of the loop. */
  inShare<T>(work: () => Promise<T>): Promise<T>;
}

/** Events that wait to be read, within bounds. */
interface Waiting {
  changes: (RecordChange | "gap")[];
  bytes: number;
  end: End | null;
  /** A sign of life is due. */
  isBeat: boolean;
  add(change: RecordChange | "gap"): void;
  finish(reason: End): void;
  beat(): void;
  /** Resolves when there is more to be sent. */
  more(): Promise<void>;
}

function createWaiting(): Waiting {
  let wake = () => {};
  const waiting: Waiting = {
    changes: [],
    bytes: 0,
    end: null,
    isBeat: false,
    add(change) {
      if (waiting.end !== null) return;
      waiting.changes.push(change);
      if (change !== "gap") waiting.bytes += change.bytes;
      const isSlow = waiting.changes.length > eventLimits.waiting ||
        waiting.bytes > eventLimits.waitingBytes;
      if (!isSlow) return wake();
      waiting.changes.length = 0; // The reader asks for them by the id of the last one that it has.
      waiting.finish("slow");
    },
    finish(reason) {
      waiting.end ??= reason;
      wake();
    },
    beat() {
      waiting.isBeat = true;
      wake();
    },
    more: () => new Promise((resolve) => wake = resolve),
  };
  return waiting;
}

/**
 * The changes of an account's records as server-sent events (the HTML standard, 9.2). Unread events
 * wait within bounds; beyond them the stream ends, with an event that says so. Rejects when the store
 * cannot be read.
 */
export async function eventStream(
  options: EventStreamOptions,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { feed, accountSid, after, isWanted, isAllowed, follows, onClosed } = options;
  const waiting = createWaiting();
  const following = await feed.follow(accountSid, {
    after,
    take: (change) => isWanted(change) && waiting.add(change),
    onGap: () => waiting.add("gap"),
    onOver: () => waiting.finish("shutdown"),
  });
  const timer = setInterval(async () => {
    const may = await isAllowed().catch(() => true); // The store is asked again at the next beat.
    if (may) waiting.beat();
    else waiting.finish("access");
  }, eventLimits.beatMs);
  if (!follows) waiting.finish("complete");
  return asBytes(piecesOf(options, following, waiting), () => {
    clearInterval(timer);
    following.close();
    onClosed();
    waiting.finish("complete");
  });
}

/** A stream of pieces, each made when it is read. */
function asBytes(
  pieces: AsyncGenerator<string>,
  close: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        close();
        controller.close();
      } catch (error) {
        close();
        controller.error(error);
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
}

/** The text of the stream, piece by piece: several events stand in one where they wait. */
async function* piecesOf(
  { isWanted, textOf, inShare }: Pick<EventStreamOptions, "isWanted" | "textOf" | "inShare">,
  { earlier, isWhole, at }: { earlier: RecordChange[]; isWhole: boolean; at: string | null },
  waiting: Waiting,
): AsyncGenerator<string> {
  const start = at === null ? "" : `id: ${at}\n`;
  yield `retry: ${eventLimits.retryMs}\n${isWhole ? "" : gap}`;
  const wanted = earlier.filter(isWanted);
  for (let n = 0; n < wanted.length;) {
    yield await inShare(async () => {
      let piece = "";
      while (n < wanted.length && piece.length < eventLimits.pieceLength) {
        piece += await eventText(wanted[n++]!, textOf); // Within the list.
      }
      return piece;
    });
  }
  yield `${start}${named("open", "Everything before has been sent.")}`;
  for (;;) {
    const piece = waiting.changes.length === 0 ? "" : await inShare(() => pieceOf(waiting, textOf));
    if (piece !== "") {
      waiting.isBeat = false;
      yield piece;
    } else if (waiting.end !== null) {
      yield named("end", messages[waiting.end], waiting.end);
      return;
    } else if (waiting.isBeat) {
      waiting.isBeat = false;
      yield ": alive\n\n";
    } else await waiting.more();
  }
}

/** The text of waiting events, up to a bound. */
async function pieceOf(
  waiting: Waiting,
  textOf: EventStreamOptions["textOf"],
): Promise<string> {
  let piece = "";
  while (waiting.changes.length > 0 && piece.length < eventLimits.pieceLength) {
    const change = waiting.changes.shift()!; // There is one.
    if (change !== "gap") waiting.bytes -= change.bytes;
    piece += change === "gap" ? gap : await eventText(change, textOf);
  }
  return piece;
}

const eventText = async (
  change: RecordChange,
  textOf: EventStreamOptions["textOf"],
): Promise<string> => `id: ${change.id}\ndata: ${await textOf(change)}\n\n`;

/** An event about the stream itself. */
const named = (name: string, message: string, reason?: string): string =>
  `event: ${name}\ndata: ${JSON.stringify({ ...reason && { reason }, message })}\n\n`;

const gap = named(
  "gap",
  "Older records may have changed as well: read the lists that you keep a copy of.",
);
