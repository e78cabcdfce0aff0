import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type ListenAddress, listenError } from "../../core/listen_error.ts";
import type { Endpoint } from "../flow.ts";
import { sipLimits } from "../limits.ts";
import type { CertificateWatch } from "./certificate.ts";
import type { Clock } from "./clock.ts";

/** A port that streams come by. */
export interface StreamListener {
  readonly address: Endpoint;
  /** Closes every stream, by force those that do not let go, and stops listening. */
  close(): Promise<void>;
}

/** Takes a stream that came; the result closes it, undefined is one that is closed already. */
export type TakeStream = (socket: Socket) => { close(): void } | undefined;

export interface SecureOptions {
  watch: CertificateWatch;
  clock: Clock;
}

/** Listens for TCP; rejects when the address cannot be had. */
export const listenTcp = (
  address: ListenAddress,
  onStream: TakeStream,
): Promise<StreamListener> => listenFor(createServer(), address, { event: "connection", onStream });

/** The same for TLS. A renewed certificate is shown to new streams; the others stay as they are. */
export function listenTls(
  address: ListenAddress,
  { watch, clock }: SecureOptions,
  onStream: TakeStream,
): Promise<StreamListener> {
  const server = createTlsServer({ ...watch.certificate });
  endSlowHandshakes(server, clock);
  watch.onRenewed((renewed) => server.setSecureContext(renewed));
  // A handshake that fails is the peer's affair.
  server.on("tlsClientError", () => {});
  return listenFor(server, address, { event: "secureConnection", onStream });
}

/** Node has an option for this, which Deno does not obey. */
function endSlowHandshakes(server: Server, clock: Clock): void {
  const begun = new Map<string, () => void>();
  const over = (key: string) => {
    begun.get(key)?.();
    begun.delete(key);
  };
  server.on("connection", (socket: Socket) => {
    const key = peerOf(socket);
    begun.set(key, clock.after(sipLimits.connectTimeoutMs, () => socket.destroy()));
    socket.on("close", () => over(key));
  });
  server.on("secureConnection", (socket: Socket) => over(peerOf(socket)));
}

/** The same of a TLS socket and of the one below it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

async function listenFor(
  server: Server,
  address: ListenAddress,
  { event, onStream }: { event: string; onStream: TakeStream },
): Promise<StreamListener> {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
  };
  // With TLS, these are also the ones whose handshake is not over.
  server.on("connection", keep);
  const streams = new Set<{ close(): void }>();
  server.on(event, (socket: Socket) => {
    const stream = onStream(socket);
    if (stream === undefined) return;
    streams.add(stream);
    socket.on("close", () => streams.delete(stream));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error) => reject(listenError(address, error)));
  server.listen({ host: address.hostname, port: address.port }, resolve);
  await promise;
  // Such as no descriptor left for a connection: the next one may have better luck.
  server.on("error", () => {});
  const bound = server.address() as { address: string; port: number };
  return {
    address: { host: bound.address, port: bound.port },
    async close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const stream of streams) stream.close();
      const timer = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, sipLimits.socketCloseMs);
      await closed.promise;
      clearTimeout(timer);
    },
  };
}
