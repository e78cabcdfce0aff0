import { setImmediate } from "node:timers";

/** One end of the way between two threads: a Worker, the inside of one, or a MessagePort. */
export interface MessageEnd<Sent, Received> {
  postMessage(message: Sent, transfer: Transferable[]): void;
  // Each kind of end has a `this` of its own, which is not used.
  // deno-lint-ignore no-explicit-any
  onmessage: ((this: any, event: MessageEvent<Received>) => void) | null;
}

/**
 * One end of a message channel whose other end is one of these as well: messages of one turn of the event
 * loop, or of `waitMs` where that is given, cross together. Each crossing wakes the other thread, which costs
 * more than most messages. Messages keep their order.
 */
export function batchedEnd<Sent, Received>(
  end: MessageEnd<Sent[], Received[]>,
  waitMs = 0,
): MessageEnd<Sent, Received> {
  let waiting: Sent[] = [];
  let transfers: Transferable[] = [];
  const flush = () => {
    const [messages, transfer] = [waiting, transfers];
    [waiting, transfers] = [[], []];
    end.postMessage(messages, transfer);
  };
  const batched: MessageEnd<Sent, Received> = {
    postMessage(message, transfer) {
      if (waiting.length === 0) waitMs > 0 ? setTimeout(flush, waitMs) : setImmediate(flush);
      waiting.push(message);
      transfers.push(...transfer);
    },
    onmessage: null,
  };
  end.onmessage = ({ data }) => {
    for (const message of data) {
      try {
        // Both sides use its data alone.
        batched.onmessage?.({ data: message } as MessageEvent<Received>);
      } catch (error) {
        reportError(error); // The others are not to suffer for it.
      }
    }
  };
  return batched;
}
