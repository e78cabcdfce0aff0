import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import * as library from "ws";
import { encodeG711 } from "../../../sip/media/codecs/g711.ts";

/** A message of an audio stream, as its server reads it. */
// deno-lint-ignore no-explicit-any
export type StreamMessage = Record<string, any>;

/** One WebSocket of a server of audio streams. */
export interface StreamConnection {
  /** As npm `ws` has it. */
  readonly socket: WebSocket;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** All that came so far, and when, by `performance.now()`. */
  readonly messages: StreamMessage[];
  readonly times: number[];
  /** The first message, past or to come, that fits. */
  message(fits: (message: StreamMessage) => boolean): Promise<StreamMessage>;
  /** Called with each message from now on. */
  onMessage(listener: (message: StreamMessage) => void): void;
  send(message: StreamMessage): void;
  sendText(text: string): void;
  /** Sends samples as media. */
  play(pcm: Int16Array<ArrayBuffer>): void;
  /** Reads nothing more until `resume`. */
  pause(): void;
  resume(): void;
  close(code?: number): void;
  /** Is gone, without a word. */
  vanish(): void;
  /** Resolves with the code when the connection is closed. */
  readonly closed: Promise<number>;
}

export interface StreamServer {
  readonly url: string;
  /** The next connection. */
  next(): Promise<StreamConnection>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface WebSocket {
  on(event: "message", listener: (data: Buffer) => void): void;
  on(event: "close", listener: (code: number) => void): void;
  on(event: "error", listener: () => void): void;
  send(text: string): void;
  close(code: number): void;
  terminate(): void;
}

const { WebSocketServer } = library as unknown as {
  WebSocketServer: new (options: { server: unknown }) => {
    on(event: "connection", listener: (ws: WebSocket, request: IncomingMessage) => void): void;
  };
};

/** A server of audio streams on the loopback, by npm `ws`; with TLS where a certificate is given. */
export async function streamServer(
  tls?: { cert: string; key: string },
): Promise<StreamServer> {
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  const sockets = new Set<Socket>();
  const waiting: ((connection: StreamConnection) => void)[] = [];
  const arrived: StreamConnection[] = [];
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  new WebSocketServer({ server }).on("connection", (ws, request) => {
    const connection = connectionOf(ws, request);
    const taker = waiting.shift();
    if (taker === undefined) arrived.push(connection);
    else taker(connection);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: tls === undefined ? `ws://127.0.0.1:${port}` : `wss://localhost:${port}`,
    next() {
      const first = arrived.shift();
      if (first !== undefined) return Promise.resolve(first);
      return new Promise((resolve) => waiting.push(resolve));
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function connectionOf(ws: WebSocket, request: IncomingMessage): StreamConnection {
  const messages: StreamMessage[] = [];
  const times: number[] = [];
  const listeners = new Set<(message: StreamMessage) => void>();
  const closed = Promise.withResolvers<number>();
  ws.on("message", (data) => {
    const message = JSON.parse(data.toString());
    messages.push(message);
    times.push(performance.now());
    for (const listener of listeners) listener(message);
  });
  ws.on("close", closed.resolve);
  ws.on("error", () => {});
  const send = (message: StreamMessage) => ws.send(JSON.stringify(message));
  return {
    socket: ws,
    path: request.url ?? "",
    headers: request.headers as Record<string, string>,
    messages,
    times,
    message(fits) {
      const found = messages.find(fits);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve, reject) => {
        const look = (message: StreamMessage) => {
          if (!fits(message)) return;
          listeners.delete(look);
          resolve(message);
        };
        listeners.add(look);
        void closed.promise.then((code) => reject(new Error(`It closed with ${code}`)));
      });
    },
    onMessage: (listener) => void listeners.add(listener),
    send,
    sendText: (text) => ws.send(text),
    play: (pcm) =>
      send({
        event: "media",
        media: { payload: Buffer.from(encodeG711("PCMU", pcm)).toString("base64") },
      }),
    pause: () => request.socket.pause(),
    resume: () => void request.socket.resume(),
    close: (code = 1000) => ws.close(code),
    vanish: () => ws.terminate(),
    closed: closed.promise,
  };
}
