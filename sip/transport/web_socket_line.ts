import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { closeSoon, hangUp } from "../base/deadline.ts";
import { whyUnwritable } from "./stream.ts";
import { closePayload, opcodes, writeFrame } from "./web_socket_frames.ts";

/** What a WebSocket sends, up to its closing handshake (RFC 6455 §7). */
export interface WebSocketLine {
  /** Nothing is sent any more. */
  readonly closed: boolean;
  /** Nothing is read any more either. */
  readonly over: boolean;
  /** Rejects when it is closed, or the peer does not read. */
  send(opcode: number, payload: string | Uint8Array): Promise<void>;
  /** Says good-bye first; the peer may answer for a little while. */
  close(code: number): void;
  /** Answers the good-bye of the peer, or takes it as the answer to ours. */
  leave(code: number): void;
  /** Ends it for what the peer did (§7.1.7). */
  fail(code: number): void;
}

/** Never rejects, so there is nothing to catch; the library does so twice for each message. */
const sent: Promise<void> = Object.assign(Promise.resolve(), { catch: () => sent });

export interface LineOptions {
  clock: Clock;
  masked: boolean;
}

export const openLine = (socket: Socket, options: LineOptions): WebSocketLine =>
  new SocketLine(socket, options);

/** A class, since getters of a literal would give each line a hidden class of its own. */
class SocketLine implements WebSocketLine {
  readonly #socket: Socket;
  readonly #options: LineOptions;
  /** Whether our close frame is sent. */
  #closing = false;
  /** Whether the peer's came, or is not waited for. */
  #over = false;

  constructor(socket: Socket, options: LineOptions) {
    this.#socket = socket;
    this.#options = options;
  }
  get closed() {
    return this.#closing || this.#socket.destroyed || this.#socket.writableEnded;
  }
  get over() {
    return this.#over || this.#socket.destroyed;
  }
  send(opcode: number, payload: string | Uint8Array) {
    const problem = this.#closing
      ? new Error("Cannot send: the connection is closed")
      : whyUnwritable(this.#socket);
    if (problem !== undefined) return Promise.reject(problem);
    // A later loss shows by the close of the connection.
    this.#socket.write(writeFrame(opcode, payload, this.#options));
    return sent;
  }
  close(code: number) {
    if (this.closed) return;
    this.#closing = true;
    closeSoon(this.#socket, this.#options.clock);
    this.#socket.write(this.#closeFrame(code));
  }
  leave(code: number) {
    this.close(code);
    this.#over = true;
    this.#socket.end();
  }
  fail(code: number) {
    const last = this.closed ? undefined : this.#closeFrame(code);
    this.#closing = this.#over = true;
    hangUp(this.#socket, this.#options.clock, last);
  }
  #closeFrame(code: number) {
    return writeFrame(opcodes.close, closePayload(code), this.#options);
  }
}
