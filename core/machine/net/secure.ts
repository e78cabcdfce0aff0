import type { Socket } from "node:net";
import type { Server as TlsServer } from "node:tls";

export interface HandshakeOptions {
  mostMs: number;
  /** Calls back once; the result forgets it. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * Gives accepted connections to a TLS server, which need not listen itself, and ends those whose
 * handshake takes too long: Node's option for that has no effect in Deno.
 */
export function secureConnections(
  server: TlsServer,
  { mostMs, after }: HandshakeOptions,
): (socket: Socket) => void {
  const begun = new Map<string, () => void>();
  const over = (key: string) => {
    begun.get(key)?.();
    begun.delete(key);
  };
  server.on("secureConnection", (socket: Socket) => over(peerOf(socket)));
  // A handshake that fails is the peer's affair.
  server.on("tlsClientError", () => {});
  return (socket) => {
    const key = peerOf(socket);
    begun.set(key, after(mostMs, () => socket.destroy()));
    socket.on("close", () => over(key));
    server.emit("connection", socket);
  };
}

/** The same of a TLS socket and of the one below it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
