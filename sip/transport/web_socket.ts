import type { Socket } from "node:net";
import {
  createFlow,
  type Endpoint,
  type Flow,
  type FlowEvents,
  type LocalName,
  type Wire,
} from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";
import { createDeadline } from "../base/deadline.ts";
import { watchPeer } from "./keep_alive.ts";
import { plainAddress } from "../../core/net/networks.ts";
import {
  closeCodes,
  createFrameReader,
  FrameError,
  opcodes,
  type Received,
} from "./web_socket_frames.ts";
import { openLine, type WebSocketLine } from "./web_socket_line.ts";

export interface WebSocketOptions {
  protocol: "WS" | "WSS";
  local: LocalName;
  clock: Clock;
  events: FlowEvents;
  /** What came behind the handshake already. */
  early: Uint8Array;
  /** The client behind a trusted proxy; the peer of the stream unless given. */
  remoteHost?: string;
  /** The companion opened it, and masks its frames. */
  outgoing?: boolean;
}

/**
 * A flow over a stream whose opening handshake is over, whichever side asked for it (RFC 7118 §5).
 * It closes a peer that breaks the rules of frames, is slow to complete a message, or is not there
 * any more.
 */
export function openWebSocketFlow(socket: Socket, options: WebSocketOptions): Flow {
  const { protocol, local, clock, events, early, outgoing = false } = options;
  const line = openLine(socket, { clock, masked: outgoing });
  const host = options.remoteHost ?? plainAddress(socket.remoteAddress ?? "");
  const remote = { host, port: socket.remotePort ?? 0 };
  const flow = createFlow(new LineWire(line, { protocol, local, remote }));
  const onReceived = (received: Received) =>
    takeReceived(received, line, (text) => events.onMessage(flow, text));
  const inbox = createInbox(line, { clock, masked: !outgoing, onReceived });
  const stopWatching = watchPeer(socket, {
    clock,
    ping: () => void line.send(opcodes.ping, "").catch(() => {}),
  });
  socket.setNoDelay(true);
  // The close that follows says it all.
  socket.on("error", () => {});
  socket.on("data", inbox.take);
  socket.on("end", () => socket.end());
  socket.on("close", () => {
    stopWatching();
    inbox.stop();
    events.onClose(flow);
  });
  inbox.take(early);
  if (!line.over) socket.resume();
  return flow;
}

/** SIP in the text messages of a line. */
class LineWire implements Wire {
  readonly protocol: Wire["protocol"];
  readonly local: LocalName;
  readonly remote: Endpoint;
  readonly #line: WebSocketLine;

  constructor(line: WebSocketLine, names: Pick<Wire, "protocol" | "local" | "remote">) {
    this.#line = line;
    this.protocol = names.protocol;
    this.local = names.local;
    this.remote = names.remote;
  }
  get closed() {
    return this.#line.closed;
  }
  send(message: string) {
    return this.#line.send(opcodes.text, message);
  }
  close() {
    this.#line.close(closeCodes.goingAway);
  }
}

/** Does what a message or a control frame asks for. */
function takeReceived(
  received: Received,
  line: WebSocketLine,
  onMessage: (text: string) => void,
): void {
  if (received.type === "close") return line.leave(received.code);
  // What was on its way when we said good-bye.
  if (line.closed) return;
  const answer = (opcode: number, payload: string | Uint8Array) =>
    void line.send(opcode, payload).catch(() => {});
  if (received.type === "ping") answer(opcodes.pong, received.payload);
  if (received.type !== "message" || received.text === "\r\n") return;
  // Keep-alive of RFC 5626 §3.5.1: two line ends are answered with one.
  if (received.text === "\r\n\r\n") answer(opcodes.text, "\r\n");
  else onMessage(received.text);
}

interface InboxOptions {
  clock: Clock;
  masked: boolean;
  onReceived(received: Received): void;
}

/** Reads what comes, until it breaks a rule. */
function createInbox(line: WebSocketLine, { clock, masked, onReceived }: InboxOptions) {
  const reader = createFrameReader({ masked });
  const { messageCompleteMs } = sipLimits;
  const slow = createDeadline(clock, messageCompleteMs, () => line.fail(closeCodes.policy));
  const readAll = () => {
    while (!line.over) {
      const received = reader.next();
      if (received === undefined) return;
      // A control frame between the parts of a message does not make it younger.
      if (!reader.assembling) slow.stop();
      onReceived(received);
    }
  };
  return {
    take(chunk: Uint8Array) {
      if (line.over) return;
      reader.add(chunk);
      try {
        readAll();
      } catch (error) {
        line.fail(error instanceof FrameError ? error.code : closeCodes.internalError);
      }
      if (reader.partial && !line.over) slow.start();
      else slow.stop();
    },
    stop: slow.stop,
  };
}
