import type { Socket } from "node:net";
import { type FrameGate, gateFrames } from "../../../core/base/frame_gate.ts";
import { mediaLimits } from "../base/limits.ts";
import { connectTo, type Reach } from "./connect.ts";
import { requestWebSocket, type WebSocketClient } from "./ws_client.ts";

/** A WebSocket to a customer's server, or one that is about to be. */
export interface ServerSocket {
  /** Sends a text, or the bytes of one; nothing while it is not open. */
  send(text: string | Uint8Array): void;
  ping(): void;
  /** Hands on what has come and wakes nobody; to be called before a message is needed. */
  receive(): void;
  /** Bytes that wait for the system. */
  readonly unsentBytes: number;
  /** For how long the server has been read more slowly than it sends, in ms; 0 while it is not. */
  readonly heldMs: number;
  /** Says goodbye, and closes within `streamCloseMs`. */
  close(): void;
  /** Closes at once. */
  destroy(): void;
}

export interface SocketEvents {
  onOpen(): void;
  onText(text: string): void;
  onPong(): void;
  /** Once: the server said goodbye, or else what became of it, in words. */
  onClose(closing: Closing): void;
}

export interface Closing {
  isGoodbye: boolean;
  why: string;
  /** Fault where it is no goodbye: `messages` blames the server's messages; `unreachable` unless given. */
  fault?: "messages" | "unreachable";
}

/** Close codes (RFC 6455 §7.4.1): ours, and those that are no goodbye. */
const NORMAL = 1000;
const TROUBLE: Readonly<Record<number, string>> = {
  1002: "it reports a protocol error",
  1003: "it takes no such messages",
  1006: "the connection broke off",
  1007: "it cannot read the messages",
  1009: "it takes no messages of this length",
  1011: "it reports an internal error",
};

/** Does work on what a server sent. */
export type Around = (work: () => void) => void;

interface State {
  events: SocketEvents;
  around: Around | undefined;
  over: AbortController;
  webSocket: WebSocketClient | undefined;
  socket: Socket | undefined;
  gate: FrameGate | undefined;
  problem: string | undefined;
  isClosed: boolean;
}

/** Texts about a server that has to wait, and about one that floods all the same. */
const { framesPerS, bytesPerS } = mediaLimits.streamPace;
const pace = `${framesPerS} messages or ${bytesPerS >> 10} KiB a second`;
export const heldMessage = `the server sends more than ${pace}: it is read more slowly`;
export const floodMessage = `the server has sent more than ${pace} for ${
  mediaLimits.streamFloodMs / 1_000
} s`;

/**
 * Opens a WebSocket to where a customer's URL leads, unless that may not be reached. A server that
 * sends more than `streamPace` has to wait. `around` wraps each piece of work on what it sent.
 */
export function openServerSocket(
  target: { url: string; headers: Readonly<Record<string, string>> },
  reach: Reach,
  events: SocketEvents,
  around?: Around,
): ServerSocket {
  const state: State = {
    events,
    around,
    over: new AbortController(),
    webSocket: undefined,
    socket: undefined,
    gate: undefined,
    problem: undefined,
    isClosed: false,
  };
  void open(state, target, reach).catch((error) =>
    closed(state, { isGoodbye: false, why: plainMessage(error) })
  );
  const isOpen = () => state.webSocket?.readyState === state.webSocket?.OPEN;
  return {
    send: (text) => void (isOpen() && state.webSocket?.send(text, { binary: false })),
    receive() {},
    ping: () => void (isOpen() && state.webSocket?.ping("")),
    get unsentBytes() {
      return state.socket?.writableLength ?? 0;
    },
    get heldMs() {
      return state.gate?.heldMs ?? 0;
    },
    close() {
      if (state.webSocket === undefined) state.over.abort();
      else state.webSocket.close(NORMAL);
    },
    destroy() {
      state.over.abort();
      state.webSocket?.terminate();
    },
  };
}

async function open(
  state: State,
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  reach: Reach,
): Promise<void> {
  const target = new URL(url);
  const socket = await connectTo(target, reach, state.over.signal);
  const uncover = coverEvents(socket, state.around);
  const webSocket = requestWebSocket(target, socket, headers);
  Object.assign(state, { socket, webSocket });
  webSocket.on("open", () => {
    uncover();
    state.gate = gateFrames(webSocket, socket, mediaLimits.streamPace, { around: state.around });
    state.events.onOpen();
  });
  webSocket.on("message", (data, isBinary) => {
    if (!isBinary) state.events.onText(data.toString());
  });
  webSocket.on("pong", () => state.events.onPong());
  webSocket.on("error", (error) => state.problem ??= plainMessage(error));
  webSocket.on("close", (code) => {
    const why = state.problem ?? TROUBLE[code];
    closed(state, { isGoodbye: why === undefined, why: why ?? `closed with ${code}` });
  });
}

/**
 * Wraps all work on events of a socket, so also that on the response to the handshake, by `around`. Returns
 * the end of that: frames pass the gate, which wraps them itself.
 */
function coverEvents(socket: Socket, around: Around | undefined): () => void {
  if (around === undefined) return () => {};
  const emit: (event: string | symbol, ...args: unknown[]) => boolean = socket.emit.bind(socket);
  let isCovered = true;
  socket.emit = (event: string | symbol, ...args: unknown[]) => {
    if (!isCovered) return emit(event, ...args);
    let isHeard = false;
    around(() => isHeard = emit(event, ...args));
    return isHeard;
  };
  return () => isCovered = false;
}

function closed(state: State, { isGoodbye, why }: Closing): void {
  if (state.isClosed) return;
  state.isClosed = true;
  state.events.onClose({ isGoodbye, why: why.slice(0, mediaLimits.streamReasonLength) });
}

const plainMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
