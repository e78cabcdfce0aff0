import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { mediaLimits } from "./limits.ts";

/** The ports that legs take, both ends included; 0 lets the system choose. */
export interface PortRange {
  first: number;
  last: number;
}

/** The sockets of one leg. */
export interface RtpSockets {
  port: number;
  rtp: Socket;
  /** On the port above; the same socket when the leg has one port for both. */
  rtcp: Socket;
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
    const rtp = await bind(bindAddress, port);
    const actual = rtp.address().port;
    try {
      const rtcp = shared ? rtp : await bind(bindAddress, actual + 1);
      const sockets = new Set([rtp, rtcp]);
      const close = async () => {
        await Promise.all([...sockets].map(closed));
        taken.delete(port);
      };
      return { port: actual, rtp, rtcp, close };
    } catch (cause) {
      await closed(rtp);
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

async function bind(address: string, port: number): Promise<Socket> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  try {
    const listening = once(socket, "listening");
    socket.bind(port, address);
    await listening;
    // What cannot be sent is lost, as on any network; the leg notices that its peer is gone.
    socket.on("error", () => {});
    return socket;
  } catch (cause) {
    await closed(socket);
    throw cause;
  }
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.close(() => resolve()));
