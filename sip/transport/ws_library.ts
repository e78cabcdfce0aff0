import type { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import * as library from "ws";
import { sipLimits } from "../base/limits.ts";

/**
 * Framing of WebSockets (RFC 6455) by npm `ws`, through the members of its interface that are used here;
 * the package has no types.
 *
 * Refused: Deno's own server. It holds a frame of up to 64 MiB before it shows it, and does not count
 * connections that never finish their handshake. It takes a new certificate only by a restart that ends its
 * WebSockets. Refused: an own reader and writer of frames (353 lines). In turn on a quiet machine, calls over
 * WS as a ratio to Kamailio were 0.96, 0.91 and 0.94 with our own, 0.89, 0.72 and 0.84 with `ws` (target
 * 0.75); a message in and out took 13.6 and 15.7 us, a connection with its registration 47.8 and 44.1 kB
 * (target 83 kB).
 *
 * The rest stays around it in this folder. A connection counts before its handshake, and a trusted proxy names
 * the client. A message has a deadline from its first octet (`message_progress.ts`). Pongs and messages stop
 * where the peer does not read. The checks of the handshake are ours too, as `ws` refuses forms that RFC 6455
 * permits, such as an Upgrade that lists several protocols. `ws` checks UTF-8 once a message is whole, and
 * accepts lengths that are not in their shortest form. `tests/sip/transport/web_socket_conformance_test.ts`
 * runs the rest of RFC 6455 against it.
 */

/** A WebSocket of either side. */
export interface WebSocket {
  /** `OPEN` from the end of the opening handshake until either side has sent a close frame. */
  readonly readyState: number;
  readonly OPEN: number;
  on(event: "open", listener: () => void): void;
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): void;
  on(event: "ping" | "pong", listener: (data: Buffer) => void): void;
  /** The handshake failed, or the peer broke a rule; a close frame with the code has been sent. */
  on(event: "error", listener: (error: Error) => void): void;
  send(text: string): void;
  ping(): void;
  pong(data: Buffer): void;
  close(code: number): void;
  pause(): void;
  resume(): void;
}

/** Members that `ws` needs of the handshake; names of headers in lower case. */
interface UpgradeRequest {
  method: "GET";
  headers: Record<string, string>;
}

interface Library {
  WebSocket: new (
    url: string,
    protocols: string[],
    options: Record<string, unknown>,
  ) => WebSocket;
  WebSocketServer: new (options: Record<string, unknown>) => {
    handleUpgrade(
      request: UpgradeRequest,
      socket: Socket,
      head: Uint8Array,
      onOpen: (webSocket: WebSocket) => void,
    ): void;
  };
}

// The package has no types.
const { WebSocket: ClientWebSocket, WebSocketServer } = library as unknown as Library;

const options = {
  maxPayload: sipLimits.messageBytes,
  perMessageDeflate: false,
  // Pongs are bounded by what the peer reads: see `openWebSocketFlow`.
  autoPong: false,
  // Time from a close frame of either side to the end of the stream.
  closeTimeout: sipLimits.socketCloseMs,
};

const server = new WebSocketServer({
  ...options,
  noServer: true,
  clientTracking: false,
});

/**
 * Answers an opening handshake with 101; `early` is what came behind the head of the request. The
 * library gets what that request was checked for, and not its header fields: it would refuse other
 * forms of them, such as an Upgrade that lists several protocols (RFC 6455 §4.2.1), in its own way.
 */
export function upgrade(key: string, socket: Socket, early: Uint8Array): WebSocket {
  const headers = {
    "upgrade": "websocket",
    "sec-websocket-key": key,
    "sec-websocket-version": "13",
    "sec-websocket-protocol": "sip",
  };
  let opened: WebSocket | undefined;
  server.handleUpgrade({ method: "GET", headers }, socket, early, (webSocket) => {
    opened = webSocket;
  });
  if (opened === undefined) throw new Error("Cannot open the WebSocket: the library refused it");
  return opened;
}

/** Requests a WebSocket for SIP at the other end of a connected stream. */
export const requestWebSocket = (socket: Socket, host: string): WebSocket =>
  new ClientWebSocket(`ws://${host}/`, ["sip"], { ...options, createConnection: () => socket });
