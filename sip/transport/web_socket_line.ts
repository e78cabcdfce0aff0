import type { Socket } from "node:net";
import type { Clock } from "./clock.ts";
import { closeSoon, hangUp } from "./deadline.ts";
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

const sent = Promise.resolve();

export function openLine(
  socket: Socket,
  { clock, masked }: { clock: Clock; masked: boolean },
): WebSocketLine {
  /** Whether our close frame is sent, and whether the peer's came or is not waited for. */
  let [closing, over] = [false, false];
  const frame = (opcode: number, payload: string | Uint8Array) =>
    writeFrame(opcode, payload, { masked });
  const closeFrame = (code: number) => frame(opcodes.close, closePayload(code));

  const line: WebSocketLine = {
    get closed() {
      return closing || socket.destroyed || socket.writableEnded;
    },
    get over() {
      return over || socket.destroyed;
    },
    send(opcode, payload) {
      const problem = closing
        ? new Error("Cannot send: the connection is closed")
        : whyUnwritable(socket);
      if (problem !== undefined) return Promise.reject(problem);
      // That it is lost later is told by the close of the connection.
      socket.write(frame(opcode, payload));
      return sent;
    },
    close(code) {
      if (line.closed) return;
      closing = true;
      closeSoon(socket, clock);
      socket.write(closeFrame(code));
    },
    leave(code) {
      line.close(code);
      over = true;
      socket.end();
    },
    fail(code) {
      const last = line.closed ? undefined : closeFrame(code);
      closing = over = true;
      hangUp(socket, clock, last);
    },
  };
  return line;
}
