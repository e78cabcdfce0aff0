import type { Socket } from "node:net";
import { clearImmediate, setImmediate } from "node:timers";

/**
 * The pace of a WebSocket (RFC 6455), by frames as well as by bytes. The work of a peer goes by frames:
 * a mark of 40 bytes costs as much as a second of audio, a ping or an empty fragment has two bytes, and
 * one read of 64 KiB brings 32,000 of them. So the bytes of a socket pass through here before npm `ws`
 * sees them. It counts the frames, hands on a few in each turn of the event loop, so that others have
 * their turns, and reads no more from a peer that has used up its credit: TCP has that one wait. Counting in
 * the handlers of messages was refused: pings and fragments are not seen there. A stream has 200 frames a
 * second, 4,000 at once: speech of 80 s may come at once in messages of 20 ms. A server that sends more is
 * read more slowly (31952, once), and its stream ends after 30 s of that (31951). While it is read more slowly
 * its pongs come late, so that its silence does not count.
 */

/** Rate limit of a peer: an amount per second, and a burst after a pause. */
export interface FramePace {
  framesPerS: number;
  burstFrames: number;
  bytesPerS: number;
  burstBytes: number;
}

/** The part of the library's WebSocket that stops and starts reading. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export interface FrameGate {
  /**
   * For how long, in ms, the peer has had to wait again and again, with no more than a second between
   * two waits; 0 while it keeps to its pace.
   */
  readonly heldMs: number;
}

/** Frames, and bytes, that are handed on in one turn of the event loop. */
const FRAMES_OF_TURN = 32;
const BYTES_OF_TURN = 64 << 10;
/** A peer that has to wait does so until it may send so many frames, not for each. */
const FRAMES_OF_WAIT = 10;
/** Waits with more than this between them are apart, in ms. */
const APART_MS = 1_000;

interface State {
  webSocket: Pausable;
  socket: Socket;
  pace: FramePace;
  now: () => number;
  /** Hands bytes to the library. */
  pass: (bytes: Uint8Array) => void;
  /** Bytes that wait, and how many of the first piece have been handed on. */
  waiting: Uint8Array[];
  used: number;
  frames: ReturnType<typeof countFrames>;
  credit: { frames: number; bytes: number; at: number };
  held: { since: number; until: number };
  isPaused: boolean;
  isOver: boolean;
  /** Ends the wait for the next turn, where one is due. */
  stop: (() => void) | undefined;
}

/**
 * Puts itself between a socket and the WebSocket that the library has just opened on it, before any
 * byte was read; it ends with the socket. `around` wraps each time that bytes are handed on.
 */
export function gateFrames(
  webSocket: Pausable,
  socket: Socket,
  pace: FramePace,
  { now = () => performance.now(), around = (work) => work() }: {
    now?: () => number;
    around?: ((work: () => void) => void) | undefined;
  } = {},
): FrameGate {
  const listeners = socket.listeners("data") as ((bytes: Uint8Array) => void)[];
  const state: State = {
    webSocket,
    socket,
    pace,
    now,
    pass: (bytes) => around(() => listeners.forEach((listener) => listener.call(socket, bytes))),
    waiting: [],
    used: 0,
    frames: countFrames(),
    credit: { frames: pace.burstFrames, bytes: pace.burstBytes, at: now() },
    held: { since: 0, until: -Infinity },
    isPaused: false,
    isOver: false,
    stop: undefined,
  };
  for (const listener of listeners) socket.off("data", listener);
  socket.on("data", (bytes: Uint8Array) => {
    if (state.isOver) return;
    state.waiting.push(bytes);
    if (state.stop === undefined) takeTurn(state);
  });
  socket.once("close", () => {
    state.isOver = true;
    state.waiting = [];
    state.stop?.();
  });
  return {
    get heldMs() {
      const { since, until } = state.held;
      const at = now();
      return at - until <= APART_MS ? at - since : 0;
    },
  };
}

/** Hands on what may be handed on now, and sees to the rest. */
function takeTurn(state: State): void {
  const { credit, pace, waiting } = state;
  state.stop = undefined;
  earn(state);
  let [frames, bytes] = [Math.min(FRAMES_OF_TURN, Math.floor(credit.frames)), BYTES_OF_TURN];
  // Handlers may end the socket.
  while (!state.isOver && bytes > 0 && credit.bytes >= 0) {
    const [first] = waiting;
    if (first === undefined) break;
    const piece = first.subarray(state.used, state.used + bytes);
    const taken = state.frames.take(piece, frames);
    if (taken.bytes === 0) break;
    frames -= taken.frames;
    bytes -= taken.bytes;
    credit.frames -= taken.frames;
    credit.bytes -= taken.bytes;
    state.used += taken.bytes;
    if (state.used === first.length) {
      waiting.shift();
      state.used = 0;
    }
    state.pass(piece.subarray(0, taken.bytes));
  }
  if (state.isOver) return;
  if (waiting.length === 0) return resume(state);
  pause(state);
  const missing = Math.max(
    credit.frames < 1 ? (FRAMES_OF_WAIT - credit.frames) / pace.framesPerS : 0,
    -credit.bytes / pace.bytesPerS,
  );
  if (missing > 0) wait(state, missing * 1_000);
  else {
    const turn = setImmediate(() => takeTurn(state));
    state.stop = () => clearImmediate(turn);
  }
}

function earn({ credit, pace, now }: State): void {
  const seconds = (now() - credit.at) / 1_000;
  credit.at = now();
  credit.frames = Math.min(pace.burstFrames, credit.frames + seconds * pace.framesPerS);
  credit.bytes = Math.min(pace.burstBytes, credit.bytes + seconds * pace.bytesPerS);
}

function wait(state: State, ms: number): void {
  const { held, now } = state;
  if (now() - held.until > APART_MS) held.since = now();
  held.until = now() + ms;
  const timer = setTimeout(() => takeTurn(state), ms);
  state.stop = () => clearTimeout(timer);
}

function pause(state: State): void {
  if (!state.isPaused) state.webSocket.pause();
  state.isPaused = true;
}

function resume(state: State): void {
  if (state.isPaused) state.webSocket.resume();
  state.isPaused = false;
}

/** Finds the frames in the bytes of one direction of a WebSocket (RFC 6455 §5.2). */
export function countFrames() {
  const header = new Uint8Array(14);
  let had = 0;
  /** Bytes of the payload that are still to come. */
  let left = 0;
  return {
    /** The length of a beginning of the bytes in which no more than so many frames begin. */
    take(bytes: Uint8Array, most: number): { bytes: number; frames: number } {
      let [at, frames] = [0, 0];
      while (at < bytes.length) {
        if (left > 0) {
          const part = Math.min(left, bytes.length - at);
          left -= part;
          at += part;
        } else {
          if (had === 0 && frames++ === most) return { bytes: at, frames: most };
          header[had++] = bytes[at++]!; // Within the bytes, by the loop.
          if (had < 2 || had < headerLength(header)) continue;
          left = payloadLength(header);
          had = 0;
        }
      }
      return { bytes: at, frames };
    },
  };
}

/** Bytes of the extended length by the 7 bits that stand for it. */
const extension = (length: number): number => length === 127 ? 8 : length === 126 ? 2 : 0;

const headerLength = ([, second = 0]: Uint8Array): number =>
  2 + extension(second & 0x7f) + (second & 0x80 ? 4 : 0);

/** May be far beyond what is taken: the library refuses that. */
function payloadLength(header: Uint8Array): number {
  const length = header[1]! & 0x7f;
  const bytes = header.subarray(2, 2 + extension(length));
  return bytes.length === 0 ? length : bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}
