import { setImmediate } from "node:timers";
import type { MessageEnd } from "./wire.ts";

/**
 * One end of a message channel whose other end is one of these as well: what is sent in a turn of the
 * event loop crosses together, since each crossing wakes the other thread, which costs either more than
 * most of what is said. Messages keep their order.
 */
export function batchedEnd<Sent, Received>(
  end: MessageEnd<Sent[], Received[]>,
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
      if (waiting.length === 0) setImmediate(flush);
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
