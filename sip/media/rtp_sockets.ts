import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { Address } from "./latch.ts";
import { mediaLimits } from "./limits.ts";

/** The ports that legs take, both ends included; 0 lets the system choose. */
export interface PortRange {
  first: number;
  last: number;
}

/** One end of UDP: what it sends is on the wire in that order, or lost. */
export interface Datagrams {
  port: number;
  /** Calls back with every packet; it replaces the one before. */
  onMessage: (bytes: Uint8Array, from: Address) => void;
  send(bytes: Uint8Array, to: Address): void;
  /** Resolves when what was handed over has left and the port is free. */
  close(): Promise<void>;
}

/** The sockets of one leg. */
export interface RtpSockets {
  rtp: Datagrams;
  /** On the port above; the same socket when the leg has one port for both. */
  rtcp: Datagrams;
  close(): Promise<void>;
}

/** Opens sockets for leg after leg. */
export interface RtpPorts {
  /** Rejects when no port is free. */
  open(options: { shared: boolean }): Promise<RtpSockets>;
}

/**
 * Ports for RTP, each with the one above for RTCP (RFC 3550 §11). The range is gone through in turn:
 * a port rests for as long as possible, as late packets of its last call may still arrive.
 */
export function createRtpPorts(bindAddress: string, { first, last }: PortRange): RtpPorts {
  const lowest = first + first % 2;
  const pairs = Math.floor((last - lowest + 1) / 2);
  const taken = new Set<number>();
  let turn = 0;

  const openAt = async (port: number, shared: boolean): Promise<RtpSockets> => {
    const rtp = await bindDatagrams(bindAddress, port);
    try {
      const rtcp = shared ? rtp : await bindDatagrams(bindAddress, rtp.port + 1);
      const sockets = new Set([rtp, rtcp]);
      const close = async () => {
        await Promise.all([...sockets].map((each) => each.close()));
        taken.delete(port);
      };
      return { rtp, rtcp, close };
    } catch (cause) {
      await rtp.close();
      throw cause;
    }
  };
  const candidates = function* () {
    if (first === 0) yield* Array<number>(mediaLimits.portPairTries).fill(0);
    for (let i = 0; first !== 0 && i < pairs; i++) {
      const port = lowest + 2 * (turn++ % pairs);
      if (!taken.has(port)) yield port;
    }
  };

  return {
    async open({ shared }) {
      let why: unknown = "all are taken";
      for (const port of candidates()) {
        if (port !== 0) taken.add(port);
        try {
          return await openAt(port, shared);
        } catch (cause) {
          taken.delete(port);
          why = cause instanceof Error ? cause.message : cause;
        }
      }
      const ports = first === 0 ? "any port" : `a port of ${first}-${last}`;
      throw new Error(`Cannot open ${ports} on "${bindAddress}" for RTP: ${why}`);
    },
  };
}

/** Binds a port of an address, 0 being any; rejects when it is not to be had. */
export async function bindDatagrams(address: string, port: number): Promise<Datagrams> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  const close = () => new Promise<void>((resolve) => void socket.close(() => resolve()));
  try {
    const listening = once(socket, "listening");
    socket.bind(port, address);
    await listening;
  } catch (cause) {
    await close();
    throw cause;
  }
  const { send, drained } = inOrder(socket);
  const datagrams: Datagrams = {
    port: socket.address().port,
    onMessage: () => {},
    send,
    close: () => drained().then(close),
  };
  socket.on("message", (bytes, from) => datagrams.onMessage(bytes, from));
  // What cannot be sent is lost, as on any network; the leg notices that its peer is gone.
  socket.on("error", () => {});
  return datagrams;
}

/**
 * Packets handed over in one turn of the event loop may leave in any order, so each waits until the
 * one before it has left.
 */
function inOrder(socket: Socket) {
  const waiting: [bytes: Uint8Array, to: Address][] = [];
  let sending: PromiseWithResolvers<void> | undefined;
  const next = () => {
    const first = waiting.shift();
    if (first === undefined) {
      sending?.resolve();
      sending = undefined;
      return;
    }
    const [bytes, { port, address }] = first;
    socket.send(bytes, port, address, next);
  };
  return {
    send(bytes: Uint8Array, to: Address): void {
      if (waiting.length >= mediaLimits.unsentPackets) return;
      waiting.push([bytes, to]);
      if (sending !== undefined) return;
      sending = Promise.withResolvers();
      next();
    },
    drained: () => sending?.promise ?? Promise.resolve(),
  };
}
