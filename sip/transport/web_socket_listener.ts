import { type ListenAddress, listening } from "../../core/listen_error.ts";
import type { Endpoint, Flow, ListenEvents, LocalName } from "../flow.ts";
import { sipLimits } from "../limits.ts";
import { openWebSocketFlow } from "./web_socket.ts";

export interface WebSocketListener {
  readonly address: Endpoint;
  /** Closes every WebSocket and stops listening; a peer that does not answer holds nobody up. */
  close(): Promise<void>;
}

export interface WebSocketListenOptions {
  protocol: "WS" | "WSS";
  local: LocalName;
  events: ListenEvents;
  /** Who is at the other end of a connection; undefined has no business here. */
  remoteOf?(peer: Endpoint): Endpoint | undefined;
}

/** Listens for SIP over WebSocket (RFC 7118); any other request gets an HTTP answer. */
export function listenWebSocket(
  address: ListenAddress,
  { protocol, local, events, remoteOf = (peer) => peer }: WebSocketListenOptions,
): WebSocketListener {
  const open = new Map<Flow, PromiseWithResolvers<void>>();
  const onClose = (flow: Flow) => {
    open.get(flow)?.resolve();
    open.delete(flow);
    events.onClose(flow);
  };
  const answer = (request: Request, info: Deno.ServeHandlerInfo): Response => {
    const refusal = refuse(request);
    if (refusal !== undefined) return refusal;
    // After the upgrade the address cannot be read any more.
    const { hostname, port } = info.remoteAddr as Deno.NetAddr;
    const remote = remoteOf({ host: hostname, port });
    if (remote === undefined) return new Response("Come by TLS.\n", { status: 403 });
    const leave = events.onConnect(remote.host);
    if (leave === undefined) return tooMany();
    const idleTimeout = sipLimits.socketIdleS;
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "sip", idleTimeout });
    const onClosed = (flow: Flow) => (leave(), onClose(flow));
    const wire = { protocol, remote, local, events: { ...events, onClose: onClosed } };
    open.set(openWebSocketFlow(socket, wire), Promise.withResolvers());
    return response;
  };
  const { hostname, port } = address;
  const server = listening(
    address,
    () => Deno.serve({ hostname, port, onListen: () => {} }, answer),
  );
  return {
    address: { host: server.addr.hostname, port: server.addr.port },
    async close() {
      const closing = [...open.values()].map(({ promise }) => promise);
      for (const flow of open.keys()) flow.close();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, sipLimits.socketCloseMs);
      await Promise.race([Promise.all(closing).then(() => server.shutdown()), late.promise]);
      clearTimeout(timer);
    },
  };
}

const tooMany = () =>
  new Response("Too many connections from your address.\n", {
    status: 503,
    headers: { "retry-after": String(sipLimits.retryAfterS) },
  });

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
