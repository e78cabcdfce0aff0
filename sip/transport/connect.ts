import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { sipLimits } from "../base/limits.ts";
import { hostPort } from "./local_name.ts";
import type { Target } from "./resolve.ts";
import { requestWebSocket, type WebSocket } from "./ws_library.ts";

/**
 * Connects a stream, by TLS where the target has it; rejects when that fails or takes
 * `sipLimits.connectTimeoutMs`.
 */
export async function connectStream(target: Target, caCerts?: string[]): Promise<Socket> {
  const { protocol, address: host, port, name } = target;
  const isSecure = protocol === "TLS" || protocol === "WSS";
  const secure = { host, port, ...caCerts && { ca: caCerts }, ...!isIP(name) && tlsName(name) };
  const socket = isSecure ? connectTls(secure) : connectTcp({ host, port });
  await inTime<void>(target, {
    start(resolve, reject) {
      socket.once(isSecure ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the connection was closed")));
    },
    giveUp: () => socket.destroy(),
  });
  return socket;
}

const tlsName = (servername: string) => ({ servername });

/**
 * Requests a WebSocket from the server at the other end of a stream, which is paused then; rejects as
 * `connectStream` does.
 */
export async function upgradeStream(socket: Socket, target: Target): Promise<WebSocket> {
  const host = hostPort(target.name, target.port);
  return await inTime(target, {
    start(resolve, reject) {
      const webSocket = requestWebSocket(socket, host);
      webSocket.on("open", () => {
        socket.pause(); // Until the listeners of the flow are there.
        resolve(webSocket);
      });
      webSocket.on("error", reject);
    },
    giveUp: () => socket.destroy(),
  });
}

interface Attempt<T> {
  start(resolve: (value: T) => void, reject: (error: Error) => void): void;
  giveUp(): void;
}

async function inTime<T>(target: Target, { start, giveUp }: Attempt<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = () => reject(new Error("it does not answer in time"));
  const timer = setTimeout(late, sipLimits.connectTimeoutMs);
  start(resolve, reject);
  try {
    return await promise;
  } catch (cause) {
    giveUp();
    const { protocol, address, port } = target;
    const why = (cause as Error).message;
    throw new Error(`Cannot connect to ${hostPort(address, port)} by ${protocol}: ${why}`, {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}
