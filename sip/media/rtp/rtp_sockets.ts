import { randomInt } from "node:crypto";
import type { Address } from "./latch.ts";
import { mediaLimits } from "../base/limits.ts";

/** The ports that legs take, both ends included; 0 lets the system choose. */
export interface PortRange {
  first: number;
  last: number;
}

/** One end of UDP: what it sends is on the wire in that order, or lost. */
export interface Datagrams {
  port: number;
  /** Calls back with every packet, whose bytes are lent until it returns. */
  onMessage: (bytes: Uint8Array, from: Address) => void;
  /** The bytes are lent until it returns. */
  send(bytes: Uint8Array, to: Address): void;
  /** Resolves when what was handed over has left and the port is free. */
  close(): Promise<void>;
}

/** A way to open them. */
export interface Udp {
  /**
   * Binds a port of an address, 0 being any; rejects when it is not to be had. As many packets as said,
   * or as one leg may have, wait for the system where it does not take them at once.
   */
  bind(address: string, port: number, unsent?: number): Promise<Datagrams>;
  /** Ends what all sockets shared; they are closed. */
  close(): void;
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
 * Ports for RTP, each with the one above for RTCP (RFC 3550 §11), drawn at random, so that nobody can tell
 * which one a call gets. Half of those that are not in use rest after their last call, of which late
 * packets may still arrive.
 */
export function createRtpPorts(
  { bind }: Pick<Udp, "bind">,
  bindAddress: string,
  { first, last }: PortRange,
): RtpPorts {
  const lowest = first + first % 2;
  const pairs = Math.floor((last - lowest + 1) / 2);
  const free = first === 0 ? [] : Array.from({ length: pairs }, (_, i) => lowest + 2 * i);
  /** The one that was closed first comes first. */
  const resting: number[] = [];

  /** Takes a free pair out at random; of those that rest, the one that did so for longest. */
  const draw = (): number | undefined => {
    if (free.length === 0) return resting.shift();
    const [port] = free.splice(randomInt(free.length), 1);
    return port;
  };
  const giveBack = (port: number) => {
    resting.push(port);
    if (resting.length > free.length) free.push(resting.shift()!);
  };

  const openAt = async (port: number, shared: boolean): Promise<RtpSockets> => {
    const rtp = await bind(bindAddress, port);
    try {
      const rtcp = shared ? rtp : await bind(bindAddress, rtp.port + 1);
      const sockets = new Set([rtp, rtcp]);
      const close = async () => {
        await Promise.all([...sockets].map((each) => each.close()));
        if (first !== 0) giveBack(port);
      };
      return { rtp, rtcp, close };
    } catch (cause) {
      await rtp.close();
      throw cause;
    }
  };
  return {
    async open({ shared }) {
      let why: unknown = "all are taken";
      const failed: number[] = [];
      const tries = first === 0 ? mediaLimits.portPairTries : pairs;
      try {
        for (let i = 0; i < tries; i++) {
          const port = first === 0 ? 0 : draw();
          if (port === undefined) break;
          try {
            return await openAt(port, shared);
          } catch (cause) {
            if (port !== 0) failed.push(port);
            why = cause instanceof Error ? cause.message : cause;
          }
        }
      } finally {
        failed.forEach(giveBack);
      }
      const ports = first === 0 ? "any port" : `a port of ${first}-${last}`;
      throw new Error(`Cannot open ${ports} on "${bindAddress}" for RTP: ${why}`);
    },
  };
}

/** As `Udp` does, by Deno. `node:dgram` would do the same at more than twice the cost of a packet. */
export function bindDatagrams(
  address: string,
  port: number,
  unsent: number = mediaLimits.unsentPackets,
): Promise<Datagrams> {
  return Promise.try(() => {
    const socket = Deno.listenDatagram({ transport: "udp", hostname: address, port });
    const { send, drained } = inOrder(socket, unsent);
    const datagrams: Datagrams = {
      port: (socket.addr as Deno.NetAddr).port,
      onMessage: () => {},
      send,
      async close() {
        await drained();
        socket.close();
        await received;
      },
    };
    const received = receiveAll(socket, datagrams);
    return datagrams;
  });
}

/** All sockets by Deno. */
export const udpByDeno: Udp = { bind: bindDatagrams, close: () => {} };

/** Hands over packet after packet; resolves once the socket is closed. */
async function receiveAll(socket: Deno.DatagramConn, datagrams: Datagrams): Promise<void> {
  const buffer = new Uint8Array(mediaLimits.datagramBytes);
  for (;;) {
    let received: [Uint8Array, Deno.Addr];
    try {
      received = await socket.receive(buffer);
    } catch (error) {
      const isClosed = error instanceof Deno.errors.BadResource ||
        error instanceof Deno.errors.Interrupted;
      if (isClosed) return;
      continue; // One that could not be had is lost, as on any network.
    }
    const [bytes, { hostname, port }] = received as [Uint8Array, Deno.NetAddr];
    // One that fills the buffer may have been cut off.
    if (bytes.length < buffer.length) datagrams.onMessage(bytes, { address: hostname, port });
  }
}

/**
 * Packets handed over in one turn of the event loop may leave in any order, so each waits until the
 * one before it has left. What cannot be sent is lost; the leg notices that its peer is gone.
 */
function inOrder(socket: Deno.DatagramConn, unsent: number) {
  const waiting: [bytes: Uint8Array, to: Deno.NetAddr][] = [];
  let sending: PromiseWithResolvers<void> | undefined;
  const next = () => {
    const first = waiting.shift();
    if (first !== undefined) return void socket.send(...first).then(next, next);
    sending?.resolve();
    sending = undefined;
  };
  return {
    send(bytes: Uint8Array, { address: hostname, port }: Address): void {
      if (waiting.length >= unsent) return;
      waiting.push([bytes.slice(), { transport: "udp", hostname, port }]);
      if (sending !== undefined) return;
      sending = Promise.withResolvers();
      next();
    },
    drained: () => sending?.promise ?? Promise.resolve(),
  };
}
