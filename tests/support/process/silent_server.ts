import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A server that answers some requests, keeps their connections, and hangs then. */
export interface SilentServer {
  readonly origin: string;
  /** The paths of the requests that came. */
  readonly asked: string[];
  /** Connections that have not ended. */
  open(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `answers`: requests that it answers, with `{}`; to all that come then it says nothing. */
export async function startSilentServer(answers: number): Promise<SilentServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    request.resume();
    asked.push(request.url ?? "");
    if (asked.length <= answers) response.end("{}");
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
