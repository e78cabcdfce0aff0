import type { Datagrams } from "../../../sip/media/rtp/rtp_sockets.ts";
import type { WebrtcSockets } from "../../../sip/media/webrtc/sockets.ts";

/** Sockets of one machine without a network: sent datagrams arrive in the next microtask. */
export interface MemorySockets extends WebrtcSockets {
  /** Returns whether a datagram gets through; all do unless set. */
  passes: (bytes: Uint8Array) => boolean;
  /** Lets a datagram arrive at a port as if it came from another, at once. */
  inject(bytes: Uint8Array, way: { from: number; to: number }): void;
  /** Sockets that are not closed. */
  count(): number;
}

export function memorySockets(): MemorySockets {
  const byPort = new Map<number, Datagrams>();
  const address = "127.0.0.1";
  let ports = 50_000;
  const sockets: MemorySockets = {
    bindAddress: address,
    passes: () => true,
    inject: (bytes, { from, to }) => byPort.get(to)?.onMessage(bytes, { address, port: from }),
    count: () => byPort.size,
    open() {
      const port = ports++;
      const datagrams: Datagrams = {
        port,
        onMessage: () => {},
        send(bytes, to) {
          const copy = new Uint8Array(bytes);
          if (!sockets.passes(copy)) return;
          queueMicrotask(() => byPort.get(to.port)?.onMessage(copy, { address, port }));
        },
        close: () => Promise.resolve(void byPort.delete(port)),
      };
      byPort.set(port, datagrams);
      return Promise.resolve(datagrams);
    },
    close: () => Promise.resolve(),
  };
  return sockets;
}
