import { connect, type Socket } from "node:net";
import type { ListenAddress } from "../../core/listen_error.ts";
import type { Endpoint } from "../flow.ts";
import { hostPort, plainAddress } from "./local_name.ts";
import { listenTls, type SecureOptions } from "./stream_listener.ts";
import {
  listenWebSocket,
  type WebSocketListener,
  type WebSocketListenOptions,
} from "./web_socket_listener.ts";

const loopback = "127.0.0.1";

/**
 * Listens for SIP over secure WebSocket; rejects when the address cannot be had. Deno's HTTP server
 * takes a new certificate only with a new start, which ends its WebSockets. So TLS ends before it:
 * what is decrypted goes on to an HTTP server on a port of the loopback that takes nobody else.
 */
export async function listenSecureWebSocket(
  address: ListenAddress,
  secure: SecureOptions,
  options: Pick<WebSocketListenOptions, "local" | "events">,
): Promise<WebSocketListener> {
  /** Who is behind each connection to the server inside. */
  const peers = new Map<string, Endpoint>();
  const inside = listenWebSocket({ ...address, hostname: loopback, port: 0 }, {
    ...options,
    protocol: "WSS",
    remoteOf: ({ host, port }) => peers.get(hostPort(host, port)),
  });
  const onStream = (outer: Socket) => {
    const peer = { host: plainAddress(outer.remoteAddress ?? ""), port: outer.remotePort ?? 0 };
    const inner = connect({ host: loopback, port: inside.address.port }, () => {
      const key = hostPort(loopback, inner.localPort ?? 0);
      peers.set(key, peer);
      inner.on("close", () => peers.delete(key));
      outer.pipe(inner).pipe(outer);
    });
    outer.on("error", () => {});
    inner.on("error", () => outer.destroy());
    outer.on("close", () => inner.destroy());
    inner.on("close", () => outer.end());
  };
  try {
    const outside = await listenTls(address, secure, onStream);
    return {
      address: outside.address,
      async close() {
        await inside.close();
        await outside.close();
      },
    };
  } catch (error) {
    await inside.close();
    throw error;
  }
}
