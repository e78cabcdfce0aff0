import { listening } from "../core/listen_error.ts";
import type { Flow } from "./flow.ts";
import { sipLimits } from "./limits.ts";

/** What becomes of the connections. */
export interface FlowEvents {
  onMessage(flow: Flow, text: string): void;
  onClose(flow: Flow): void;
}

export interface SipListener {
  readonly url: string;
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
}

/** Listens for SIP over WebSocket (RFC 7118); any other request gets an HTTP answer. */
export function listenSip(
  { hostname, port }: { hostname: string; port: number },
  events: FlowEvents,
): SipListener {
  const open = new Map<Flow, Promise<void>>();
  const answer = (request: Request, info: Deno.ServeHandlerInfo): Response => {
    const refusal = refuse(request);
    if (refusal !== undefined) return refusal;
    // After the upgrade the address cannot be read any more.
    const { hostname: host, port } = info.remoteAddr as Deno.NetAddr;
    const idleTimeout = sipLimits.socketIdleS;
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "sip", idleTimeout });
    const flow = createFlow(socket, { host, port });
    const closed = Promise.withResolvers<void>();
    open.set(flow, closed.promise);
    receiveFrames(socket, flow, events);
    socket.onclose = () => {
      open.delete(flow);
      closed.resolve();
      events.onClose(flow);
    };
    return response;
  };
  const server = listening(
    { hostname, port, name: "SIP_WS_PORT" },
    () => Deno.serve({ hostname, port, onListen: () => {} }, answer),
  );
  return {
    url: `ws://${at(server.addr)}`,
    async close() {
      for (const flow of open.keys()) flow.close();
      // A peer that does not answer the close frame must not hold us.
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, sipLimits.socketCloseMs);
      const closing = Promise.all(open.values()).then(() => server.shutdown());
      await Promise.race([closing, late.promise]);
      clearTimeout(timer);
    },
  };
}

/** Host and port as they stand in a URL. */
export function at({ hostname, port }: Deno.NetAddr): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function refuse(request: Request): Response | undefined {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    return new Response("This is a SIP server: connect by WebSocket with subprotocol sip.\n", {
      status: 426,
      headers: { upgrade: "websocket", connection: "upgrade" },
    });
  }
  const protocols = (request.headers.get("sec-websocket-protocol") ?? "").split(",");
  if (protocols.some((protocol) => protocol.trim().toLowerCase() === "sip")) return undefined;
  return new Response("The WebSocket subprotocol must be sip.\n", { status: 400 });
}

function createFlow(socket: WebSocket, remote: Flow["remote"]): Flow {
  return {
    id: crypto.randomUUID(),
    remote,
    logins: new Set(),
    proven: new Set(),
    get closed() {
      return socket.readyState >= WebSocket.CLOSING;
    },
    transport: {
      protocol: "WS",
      send(message) {
        if (socket.readyState !== WebSocket.OPEN) {
          return Promise.reject(new Error("Cannot send: the connection is closed"));
        }
        socket.send(message);
        return Promise.resolve();
      },
    },
    close: () => socket.close(1001),
  };
}

const tooBig = 1009;

function receiveFrames(socket: WebSocket, flow: Flow, events: FlowEvents): void {
  const decoder = new TextDecoder();
  socket.binaryType = "arraybuffer";
  socket.onerror = () => {};
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    const size = typeof data === "string" ? data.length : data.byteLength;
    if (size > sipLimits.messageBytes) return socket.close(tooBig);
    const text = typeof data === "string" ? data : decoder.decode(data);
    // Keep-alive of RFC 5626 §3.5.1: two line ends are answered with one.
    if (text === "\r\n\r\n") return void flow.transport.send("\r\n").catch(() => {});
    if (text !== "\r\n") events.onMessage(flow, text);
  };
}
