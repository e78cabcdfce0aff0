import { connect, type Socket } from "node:net";

/** A connection of HTTP that is written by hand. */
export interface RawHttp {
  readonly socket: Socket;
  send(text: string): void;
  /** All that came so far. */
  text(): string;
  /** Resolves with all that came when something is in it; rejects when the connection closes before. */
  received(what: string | RegExp): Promise<string>;
  /** Resolves with what came, when the connection is closed. */
  readonly closed: Promise<string>;
  close(): void;
}

export const openRaw = (port: number, localAddress = "127.0.0.1"): RawHttp =>
  rawHttp(connect({ host: "127.0.0.1", port, localAddress }));

/** The same on a connection that there is, such as one with TLS. */
export function rawHttp(socket: Socket): RawHttp {
  let text = "";
  let isOver = false;
  const watchers = new Set<() => void>();
  const tellAll = () => {
    for (const watcher of watchers) watcher();
  };
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  socket.on("error", () => {});
  socket.on("data", (chunk: Uint8Array) => {
    text += new TextDecoder().decode(chunk);
    tellAll();
  });
  socket.on("close", () => {
    isOver = true;
    resolve(text);
    tellAll();
  });
  return {
    socket,
    send: (more) => void socket.write(more),
    text: () => text,
    received(what) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const look = () => {
        const isThere = typeof what === "string" ? text.includes(what) : what.test(text);
        if (isThere) resolve(text);
        else if (isOver) reject(new Error(`The connection closed after ${JSON.stringify(text)}`));
      };
      watchers.add(look);
      look();
      return promise.finally(() => watchers.delete(look));
    },
    closed,
    close: () => void socket.destroy(),
  };
}

export const getRequest = (path = "/", more = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
