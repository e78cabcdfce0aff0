import type { Socket } from "node:net";
import {
  createFlow,
  type Endpoint,
  type Flow,
  type FlowEvents,
  type LocalName,
  type Wire,
} from "../base/flow.ts";
import { gateFrames } from "../../core/base/frame_gate.ts";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";
import { createDeadline, hangUp } from "../base/deadline.ts";
import { inItsCharset } from "../text/charset.ts";
import { watchPeer } from "./keep_alive.ts";
import { plainAddress } from "../../core/base/networks.ts";
import { followMessages } from "./message_progress.ts";
import { whyUnwritable } from "./stream.ts";
import type { WebSocket } from "./ws_library.ts";

/** Why a WebSocket is closed (RFC 6455 §7.4.1). */
const closeCodes = { goingAway: 1001, policy: 1008 } as const;

export interface WebSocketOptions {
  protocol: "WS" | "WSS";
  local: LocalName;
  clock: Clock;
  events: FlowEvents;
  /** The client behind a trusted proxy; the peer of the stream unless given. */
  remoteHost?: string;
}

/**
 * A flow over a WebSocket and the stream that it is on, whichever side opened it (RFC 7118 §5). It
 * closes a peer that breaks the rules of frames, does not complete a message in time, does not read,
 * or does not answer pings. One that sends more than `webSocketPace` has to wait. The stream is paused until then, so that no message is lost.
 */
export function openWebSocketFlow(
  webSocket: WebSocket,
  socket: Socket,
  options: WebSocketOptions,
): Flow {
  const { protocol, local, clock, events } = options;
  const host = options.remoteHost ?? plainAddress(socket.remoteAddress ?? "");
  const remote = { host, port: socket.remotePort ?? 0 };
  const wire = new WebSocketWire(webSocket, socket, { protocol, local, remote, clock });
  const flow = createFlow(wire, events);
  gateFrames(webSocket, socket, sipLimits.webSocketPace);
  watchMessages(socket, clock, {
    onLate: () => wire.fail(closeCodes.policy),
    isOver: () => wire.closed,
  });
  webSocket.on("message", (data, isBinary) => {
    if (wire.closed) return;
    // In text, the library refuses what is not UTF-8 by 1007.
    const text = inItsCharset(data.toString(), isBinary ? data : undefined);
    // Keep-alive of RFC 5626 §3.5.1: two line ends are answered with one.
    if (text === "\r\n\r\n") void wire.send("\r\n").catch(() => {});
    else if (text !== "\r\n") events.onMessage(flow, text);
  });
  const stopWatching = watchPeer(socket, { clock, ping: () => !wire.closed && webSocket.ping() });
  webSocket.on("ping", (data) => {
    if (!wire.closed && whyUnwritable(socket) === undefined) webSocket.pong(data);
  });
  // The peer broke a rule. The library has sent the close frame with the code.
  webSocket.on("error", () => hangUp(socket, clock));
  socket.on("close", () => {
    stopWatching();
    events.onClose(flow);
  });
  socket.resume();
  return flow;
}

/** Never rejects, so there is nothing to catch; sip.js does so twice for each message. */
const sent: Promise<void> = Object.assign(Promise.resolve(), { catch: () => sent });

/** SIP in the text messages of a WebSocket. A class: literals with getters cost a shape each. */
class WebSocketWire implements Wire {
  readonly protocol: Wire["protocol"];
  readonly local: LocalName;
  readonly remote: Endpoint;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #clock: Clock;

  constructor(
    webSocket: WebSocket,
    socket: Socket,
    { protocol, local, remote, clock }: Pick<Wire, "protocol" | "local" | "remote"> & {
      clock: Clock;
    },
  ) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#clock = clock;
    this.protocol = protocol;
    this.local = local;
    this.remote = remote;
  }
  get closed() {
    return this.#webSocket.readyState !== this.#webSocket.OPEN || this.#socket.destroyed ||
      this.#socket.writableEnded;
  }
  /** Rejects when it is closed, or the peer does not read. A later loss shows by the close. */
  send(message: string) {
    const problem = this.closed
      ? new Error("Cannot send: the connection is closed")
      : whyUnwritable(this.#socket);
    if (problem !== undefined) return Promise.reject(problem);
    this.#webSocket.send(message);
    return sent;
  }
  /** Sends a close frame; the peer may answer it for `socketCloseMs`. */
  close() {
    if (!this.closed) this.#webSocket.close(closeCodes.goingAway);
  }
  /** Ends it for what the peer did (RFC 6455 §7.1.7). */
  fail(code: number) {
    if (!this.closed) this.#webSocket.close(code);
    hangUp(this.#socket, this.#clock);
  }
}

/**
 * Ends a stream where a message is not complete `messageCompleteMs` after its first octet came.
 * Control frames between the parts of a message do not extend the time (RFC 6455 §5.4).
 */
function watchMessages(
  socket: Socket,
  clock: Clock,
  { onLate, isOver }: {
    onLate(): void;
    /** A peer that broke a rule may go on sending: nothing of it counts. */
    isOver(): boolean;
  },
): void {
  const progress = followMessages();
  const deadline = createDeadline(clock, sipLimits.messageCompleteMs, onLate);
  socket.on("data", (chunk: Uint8Array) => {
    if (isOver()) return;
    if (progress.take(chunk) || !progress.partial) deadline.stop();
    if (progress.partial) deadline.start();
  });
  socket.on("close", deadline.stop);
}
