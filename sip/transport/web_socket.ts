import type { Buffer } from "node:buffer";
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
import { createDeadline, hangUp } from "../base/deadline.ts";
import { watchPeer } from "./keep_alive.ts";
import { plainAddress } from "../../core/net/networks.ts";
import { whyUnwritable } from "./stream.ts";
import type { WebSocket } from "./ws_library.ts";

/** Why a WebSocket is closed (RFC 6455 §7.4.1). */
const closeCodes = { goingAway: 1001, policy: 1008 } as const;

/** Octets of the head of a control frame: with the masking key, which only a client sends (§5.2). */
const controlHead = { masked: 6, unmasked: 2 } as const;

export interface WebSocketOptions {
  protocol: "WS" | "WSS";
  local: LocalName;
  clock: Clock;
  events: FlowEvents;
  /** The client behind a trusted proxy; the peer of the stream unless given. */
  remoteHost?: string;
  /** The companion opened it, so the peer's frames are not masked. */
  outgoing?: boolean;
}

/**
 * A flow over a WebSocket and the stream that it is on, whichever side opened it (RFC 7118 §5). It
 * closes a peer that breaks the rules of frames, does not complete a message in time, does not read,
 * or does not answer pings. The stream is paused until then, so that no message is lost.
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
  const flow = createFlow(wire);
  watchMessages(webSocket, socket, {
    ...options,
    onLate: () => wire.fail(closeCodes.policy),
    onMessage(data) {
      if (wire.closed) return;
      const text = data.toString(); // In text, the library refuses what is not UTF-8 by 1007.
      // Keep-alive of RFC 5626 §3.5.1: two line ends are answered with one.
      if (text === "\r\n\r\n") void wire.send("\r\n").catch(() => {});
      else if (text !== "\r\n") events.onMessage(flow, text);
    },
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

interface MessageEvents extends Pick<WebSocketOptions, "clock" | "outgoing"> {
  onMessage(data: Buffer): void;
  /** A message was not complete `messageCompleteMs` after its first octet came. */
  onLate(): void;
}

/**
 * Hands on messages, and bounds the time that a message takes. Whatever comes may begin one, so the
 * deadline starts with the first octets. It stops with a whole message, or when all that came since
 * were control frames, which may come between the parts of a message and do not complete it (§5.4).
 */
function watchMessages(
  webSocket: WebSocket,
  socket: Socket,
  { clock, outgoing = false, onMessage, onLate }: MessageEvents,
): void {
  const headBytes = outgoing ? controlHead.unmasked : controlHead.masked;
  let [bytes, controlBytes] = [0, 0];
  const deadline = createDeadline(clock, sipLimits.messageCompleteMs, onLate);
  const complete = () => {
    [bytes, controlBytes] = [0, 0];
    deadline.stop();
  };
  const control = (data: Buffer) => {
    controlBytes += headBytes + data.length;
    if (bytes === controlBytes) complete();
  };
  // Before the library's own listener, which hands on what the chunk completes.
  socket.prependListener("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    deadline.start();
  });
  webSocket.on("message", (data) => {
    complete();
    onMessage(data);
  });
  webSocket.on("ping", control);
  webSocket.on("pong", control);
  socket.on("close", deadline.stop);
}
