/**
 * Sockets of RTP and RTCP by `Deno.listenDatagram`, which needs `unstable: net` in `deno.json`.
 * `node:dgram` takes 36 µs for a packet in and out, Deno's sockets 15.
 */
import { randomInt } from "node:crypto";
import type { Address } from "./latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { MediaShortage, shortageOf } from "../base/port.ts";

/** The ports for legs, both ends included; 0 lets the system choose. */
export interface PortRange {
  first: number;
  last: number;
}

/** A UDP socket. Datagrams leave in the order of `send`, or are lost. */
export interface Datagrams {
  port: number;
  /** Called with every datagram, whose bytes are lent until it returns. */
  onMessage: (bytes: Uint8Array, from: Address) => void;
  /** The bytes are lent until it returns. */
  send(bytes: Uint8Array, to: Address): void;
  /** Resolves when all datagrams have left and the port is free. */
  close(): Promise<void>;
}

export interface BindOptions {
  /** Datagrams that may wait while the system does not take them; the limit of one leg unless given. */
  unsent?: number;
  /**
   * Takes the port over from a socket of ours that was bound with this as well: Linux hands datagrams
   * to the socket that was bound last.
   */
  takesOver?: boolean;
}

/** Opens UDP sockets. */
export interface Udp {
  /** Binds a port of an address, 0 being any; rejects when the port is not available. */
  bind(address: string, port: number, options?: BindOptions): Promise<Datagrams>;
  /** Frees what the sockets shared; called when all are closed. */
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
  /** Rejects with `MediaShortage` when no port is free. */
  open(options: { shared: boolean }): Promise<RtpSockets>;
}

/**
 * Ports for RTP, each with the one above for RTCP (RFC 3550 §11), from a pool or, where the range is 0,
 * chosen by the system.
 */
export function createRtpPorts(
  { bind }: Pick<Udp, "bind">,
  bindAddress: string,
  range: PortRange,
): RtpPorts {
  const pool = range.first === 0 ? anyPort : createPortPool(range);

  const openAt = async (port: number, shared: boolean): Promise<RtpSockets> => {
    const rtp = await bind(bindAddress, port);
    try {
      const rtcp = shared ? rtp : await bind(bindAddress, rtp.port + 1);
      const sockets = new Set([rtp, rtcp]);
      const close = async () => {
        await Promise.all([...sockets].map((each) => each.close()));
        pool.giveBack(port);
      };
      return { rtp, rtcp, close };
    } catch (cause) {
      await rtp.close();
      throw cause;
    }
  };
  return {
    async open({ shared }) {
      let why: unknown;
      const failed: number[] = [];
      try {
        for (let i = 0; i < pool.tries; i++) {
          const port = pool.draw();
          if (port === undefined) break;
          try {
            return await openAt(port, shared);
          } catch (cause) {
            failed.push(port);
            why = cause;
          }
        }
      } finally {
        failed.forEach(pool.giveBack);
      }
      const what = `Cannot open ${pool.name} on "${bindAddress}" for RTP`;
      if (why === undefined) throw new MediaShortage(`${what}: all are taken`, "ports");
      throw shortageOf(what, why);
    },
  };
}

/** Even ports, each of which stands for itself and the one above. */
interface PortPool {
  /** For error messages. */
  readonly name: string;
  /** The number of ports to try for one leg. */
  readonly tries: number;
  /** Takes a port out; undefined when all are in use. */
  draw(): number | undefined;
  giveBack(port: number): void;
}

/** The system chooses the port of RTP; the one above may be in use. */
const anyPort: PortPool = {
  name: "any port",
  tries: mediaLimits.portPairTries,
  draw: () => 0,
  giveBack() {},
};

/**
 * Draws ports at random, so that the port of a call cannot be predicted. Half of the ports not in use
 * rest after their last call, whose late packets may still arrive.
 */
function createPortPool({ first, last }: PortRange): PortPool {
  const lowest = first + first % 2;
  const pairs = Math.floor((last - lowest + 1) / 2);
  const free = Array.from({ length: pairs }, (_, i) => lowest + 2 * i);
  /** In the order in which they were given back. */
  const resting: number[] = [];
  return {
    name: `a port of ${first}-${last}`,
    tries: pairs,
    draw() {
      if (free.length === 0) return resting.shift();
      const [port] = free.splice(randomInt(free.length), 1);
      return port;
    },
    giveBack(port) {
      resting.push(port);
      const rested = resting.length > free.length ? resting.shift() : undefined;
      if (rested !== undefined) free.push(rested);
    },
  };
}

/** `Udp.bind` by Deno. `node:dgram` would cost more than twice as much per packet. */
export function bindDatagrams(
  address: string,
  port: number,
  { unsent = mediaLimits.unsentPackets, takesOver = false }: BindOptions = {},
): Promise<Datagrams> {
  return Promise.try(() => {
    const socket = Deno.listenDatagram({
      transport: "udp",
      hostname: address,
      port,
      reuseAddress: takesOver,
    });
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

/** UDP sockets of Deno. */
export const udpByDeno: Udp = { bind: bindDatagrams, close: () => {} };

/** Passes each datagram to `onMessage`; resolves once the socket is closed. */
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
      continue; // A datagram that cannot be read is lost, as on any network.
    }
    const [bytes, { hostname, port }] = received as [Uint8Array, Deno.NetAddr];
    // A datagram that fills the buffer may have been truncated.
    if (bytes.length < buffer.length) datagrams.onMessage(bytes, { address: hostname, port });
  }
}

/**
 * Sends datagrams in order. The system may reorder sends of one turn of the event loop, so each waits
 * for the one before. A datagram that cannot be sent is lost; silence of the peer ends the leg.
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
