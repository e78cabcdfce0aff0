import type { RingMemory } from "../base/shared_ring.ts";
import type { ServerTarget } from "./server_sockets.ts";
import type { Closing } from "./socket.ts";

/**
 * The messages between a thread that uses WebSockets and the Worker that has them. Sockets are numbered by
 * the side that uses them. Whoever takes a message reads the ring of that direction first, and nothing of a
 * socket is put into a ring while a text or message of it is on its way past that: so all keep their order.
 */
export type SocketOrder =
  | {
    type: "start";
    /** True where servers may be at private addresses. */
    mayReachPrivate: boolean;
    /** Memory for what the Worker works on, by `atWorkAt`. */
    atWork: Int32Array<SharedArrayBuffer>;
    /** Ways for what is said fifty times a second: texts to send, and messages that were packed. */
    rings: { orders: RingMemory; reports: RingMemory };
  }
  | { type: "open"; id: number; target: ServerTarget; meter: Meter }
  | { type: "send"; id: number; text: string | Uint8Array }
  | { type: "ping" | "close" | "destroy"; id: number }
  /** The Worker is to say that it is there. */
  | { type: "look" };

export type SocketReport<M> =
  | { type: "opened" | "pong"; id: number }
  | { type: "message"; id: number; message: M }
  | { type: "bad"; id: number; why: string; shown: string }
  | { type: "closed"; id: number; closing: Closing }
  | { type: "alive" }
  | { type: "log"; line: string; fields: Record<string, unknown> };

/** Places of what a Worker works on. */
export const atWorkAt = {
  /** The number of the socket whose bytes they are; 0: none. */
  id: 0,
  /** Pieces of work so far, modulo 2 to the power of 32. */
  piece: 1,
} as const;

/** Counters of a socket that the Worker writes without a message, each at its place. */
export type Meter = Int32Array<SharedArrayBuffer>;

export const meterAt = {
  /** Characters that the Worker has taken to send, modulo 2 to the power of 32. */
  taken: 0,
  /** As in `ServerSocket`. */
  unsentBytes: 1,
  heldMs: 2,
  /** Texts that the Worker, and messages that its user, took which passed the ring by. */
  textsPast: 3,
  messagesPast: 4,
} as const;

export const newMeter = (): Meter => new Int32Array(new SharedArrayBuffer(20));
