import type { Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { ListenAddress } from "../../core/base/listen_error.ts";
import { acceptConnections, type AcceptOptions } from "../../core/machine/net/acceptor.ts";
import type { CertificateWatch } from "../../core/machine/net/certificate.ts";
import { secureConnections } from "../../core/machine/net/secure.ts";
import type { Endpoint } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";

/** A port that streams come by. */
export interface StreamListener {
  readonly address: Endpoint;
  /** Closes every stream, by force those that do not let go, and stops listening. */
  close(): Promise<void>;
}

/** Takes a stream that came; the result closes it. */
export type TakeStream = (socket: Socket) => { close(): void };

/** Bounds of connections, and the callback of a listener that has failed. */
export type Bounds = Pick<
  AcceptOptions,
  "takeAddress" | "refuse" | "places" | "onOver" | "log"
>;

export interface SecureOptions extends Bounds {
  watch: CertificateWatch;
  clock: Clock;
}

/** Listens for TCP; rejects when the address cannot be had. */
export function listenTcp(
  address: ListenAddress,
  onStream: TakeStream,
  bounds: Bounds = {},
): Promise<StreamListener> {
  const streams = createStreams(onStream);
  return listenFor(address, streams, { ...bounds, onConnection: streams.take });
}

/** The same for TLS. A renewed certificate is shown to new streams; the others stay as they are. */
export function listenTls(
  address: ListenAddress,
  onStream: TakeStream,
  { watch, clock, ...bounds }: SecureOptions,
): Promise<StreamListener> {
  const streams = createStreams(onStream);
  const server = createTlsServer({ ...watch.certificate });
  watch.onRenewed((renewed) => server.setSecureContext(renewed));
  server.on("secureConnection", streams.take);
  const { after } = clock;
  const secure = secureConnections(server, { mostMs: sipLimits.connectTimeoutMs, after });
  return listenFor(address, streams, { ...bounds, onConnection: secure });
}

/** The streams that are open, to close them. */
function createStreams(onStream: TakeStream) {
  const open = new Set<{ close(): void }>();
  return {
    take(socket: Socket) {
      socket.on("error", () => {});
      const stream = onStream(socket);
      open.add(stream);
      socket.on("close", () => open.delete(stream));
    },
    closeAll() {
      for (const stream of open) stream.close();
    },
  };
}

async function listenFor(
  address: ListenAddress,
  streams: ReturnType<typeof createStreams>,
  { onConnection, ...options }: AcceptOptions,
): Promise<StreamListener> {
  // With TLS, these are also the ones whose handshake is not over.
  const open = new Map<Socket, Promise<void>>();
  const acceptor = await acceptConnections(address, {
    ...options,
    onConnection(socket) {
      const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
      open.set(socket, closed);
      socket.on("close", () => open.delete(socket));
      onConnection(socket);
    },
  });
  return {
    address: acceptor.address,
    async close() {
      await acceptor.close();
      const closed = Promise.all(open.values());
      streams.closeAll();
      const timer = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, sipLimits.socketCloseMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
