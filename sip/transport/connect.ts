import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Flow, FlowEvents, LocalName } from "../flow.ts";
import { sipLimits } from "../limits.ts";
import { hostPort } from "./local_name.ts";
import type { Target } from "./resolve.ts";
import { openWebSocketFlow } from "./web_socket.ts";

/** Connects a TCP or TLS socket; rejects when that fails or takes `sipLimits.connectTimeoutMs`. */
export async function connectStream(target: Target, caCerts?: string[]): Promise<Socket> {
  const { protocol, address: host, port, name } = target;
  const secure = { host, port, ...caCerts && { ca: caCerts }, ...!isIP(name) && tlsName(name) };
  const socket = protocol === "TLS" ? connectTls(secure) : connectTcp({ host, port });
  await inTime(target, {
    start(resolve, reject) {
      socket.once(protocol === "TLS" ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the connection was closed")));
    },
    giveUp: () => socket.destroy(),
  });
  return socket;
}

const tlsName = (servername: string) => ({ servername });

/** Connects to another SIP server by WebSocket, as its client; rejects as the other does. */
export async function connectWebSocket(
  target: Target,
  { local, events, caCerts }: { local: LocalName; events: FlowEvents; caCerts?: string[] },
): Promise<Flow> {
  const protocol = target.protocol === "WSS" ? "WSS" : "WS";
  const url = `${protocol.toLowerCase()}://${hostPort(target.address, target.port)}/`;
  const client = caCerts && Deno.createHttpClient({ caCerts });
  const socket = new WebSocket(url, { protocols: ["sip"], ...client && { client } });
  await inTime(target, {
    start(resolve, reject) {
      socket.onopen = resolve;
      socket.onerror = (event) => reject(new Error((event as ErrorEvent).message));
    },
    giveUp: () => socket.close(),
  }).finally(() => client?.close());
  const remote = { host: target.address, port: target.port };
  return openWebSocketFlow(socket, { protocol, remote, local, events, outgoing: true });
}

interface Attempt {
  start(resolve: () => void, reject: (error: Error) => void): void;
  giveUp(): void;
}

async function inTime(target: Target, { start, giveUp }: Attempt): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = () => reject(new Error("it does not answer in time"));
  const timer = setTimeout(late, sipLimits.connectTimeoutMs);
  start(resolve, reject);
  try {
    await promise;
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
