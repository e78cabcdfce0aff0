import { mediaLimits } from "../base/limits.ts";
import type { Reach } from "./connect.ts";
import { type Around, type Closing, openServerSocket, type ServerSocket } from "./socket.ts";

/** A customer's server that a WebSocket is to lead to. */
export interface ServerTarget {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The account right under the root: look-ups and threads are shared out by it. */
  tenant: string;
  /** The stream or conversation, as the log names it. */
  sid: string;
  /** False where the server has nothing to say: its texts are dropped unread. */
  isHeard: boolean;
}

/** Events of a WebSocket whose server sends messages of a kind. */
export interface MessageEvents<M> {
  onOpen(): void;
  onMessage(message: M): void;
  /** A text is no message: the reason, and its beginning. */
  onBadMessage(why: string, shown: string): void;
  onPong(): void;
  /** As in `SocketEvents`. */
  onClose(closing: Closing): void;
}

/** Opens WebSockets to servers of customers, and reads what these send. */
export interface ServerSockets<M> {
  open(target: ServerTarget, events: MessageEvents<M>): ServerSocket;
}

/** Reads a text: null for one without a meaning. Throws an Error that says why it is no message. */
export type ReadMessage<M> = (text: string) => M | null;

/** WebSockets of this thread. `around` wraps each piece of work on bytes that a server sent. */
export function ownSockets<M>(read: ReadMessage<M>, reach: Omit<Reach, "tenant">) {
  return {
    open: (
      { tenant, isHeard, ...target }: ServerTarget,
      events: MessageEvents<M>,
      around?: Around,
    ) =>
      openServerSocket(target, { ...reach, tenant }, {
        ...events,
        onText: (text) => isHeard && hand(text, read, events),
      }, around),
  } satisfies ServerSockets<M>;
}

function hand<M>(text: string, read: ReadMessage<M>, events: MessageEvents<M>): void {
  let message: M | null;
  try {
    message = read(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return events.onBadMessage(why, text.slice(0, mediaLimits.streamShownLength));
  }
  if (message !== null) events.onMessage(message);
}
