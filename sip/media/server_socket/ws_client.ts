import type { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import * as library from "ws";
import { mediaLimits } from "../base/limits.ts";

/**
 * The client's side of WebSockets (RFC 6455) by npm `ws`, through the part of its interface that is
 * used here; the package has no types.
 */

/** A WebSocket, or one whose handshake is under way. */
export interface WebSocketClient {
  readonly readyState: number;
  readonly OPEN: number;
  on(event: "open", listener: () => void): void;
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): void;
  on(event: "pong", listener: (data: Buffer) => void): void;
  /** The handshake failed, or the peer broke a rule; a `close` follows. */
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "close", listener: (code: number, reason: Buffer) => void): void;
  send(text: string | Uint8Array, options: { binary: false }): void;
  ping(data: string): void;
  pause(): void;
  resume(): void;
  close(code: number): void;
  terminate(): void;
}

type Library = {
  WebSocket: new (
    url: string,
    protocols: string[],
    options: Record<string, unknown>,
  ) => WebSocketClient;
};

// The package has no types.
const { WebSocket } = library as unknown as Library;

/** Requests a WebSocket at the other end of a connected stream, which has TLS where it is to have it. */
export function requestWebSocket(
  url: URL,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
): WebSocketClient {
  // The stream is there already: the library must not make another for `wss`.
  const plain = `ws://${url.host}${url.pathname}${url.search}`;
  return new WebSocket(plain, [], {
    createConnection: () => socket,
    headers: { ...headers, host: url.host },
    handshakeTimeout: mediaLimits.streamConnectMs,
    closeTimeout: mediaLimits.streamCloseMs,
    maxPayload: mediaLimits.streamMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
}
