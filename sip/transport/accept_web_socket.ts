import type { Socket } from "node:net";
import type { Flow, ListenEvents, LocalName } from "../base/flow.ts";
import type { Clock } from "../base/clock.ts";
import { plainAddress } from "../../core/base/networks.ts";
import {
  clientAddress,
  clientUsesTls,
  ContradictoryProxy,
} from "../../core/machine/net/client_address.ts";
import { openWebSocketFlow } from "./web_socket.ts";
import type { HttpHead } from "./http_head.ts";
import { acceptHandshake, badRequest, type Refusal, tooMany } from "./web_socket_handshake.ts";

export interface AcceptOptions {
  protocol: "WS" | "WSS";
  /** Name of this companion by the Host of the handshake. */
  nameAt(host: string, protocol: "WS" | "WSS"): LocalName;
  clock: Clock;
  events: ListenEvents;
  /** True when a peer is a reverse proxy, whose headers name the client's address and transport. */
  isTrustedProxy?: (host: string) => boolean;
}

/**
 * Takes a stream that is to become a WebSocket for SIP (RFC 7118). One that comes by a trusted proxy
 * counts for the client's address once that is known; its listener has counted any other. Where that
 * proxy ended TLS, the transport is WSS, as it is for the client. The result closes it.
 */
export function acceptWebSocket(
  socket: Socket,
  options: AcceptOptions,
): { close(): void } {
  const { clock, events, nameAt, isTrustedProxy = () => false } = options;
  const peer = plainAddress(socket.remoteAddress ?? "");
  const isProxied = isTrustedProxy(peer);
  let remoteHost = peer;
  let { protocol } = options;
  const admit = (head: HttpHead): Refusal | undefined => {
    if (!isProxied) return undefined;
    if (hasTls(head)) protocol = "WSS";
    const client = clientOf(head, isTrustedProxy);
    if (client instanceof ContradictoryProxy) return badRequest(client.message);
    if (client === undefined) return undefined;
    remoteHost = client;
    const leave = events.onConnect(client);
    if (leave !== undefined) socket.on("close", leave);
    return leave === undefined ? tooMany : undefined;
  };
  let flow: Flow | undefined;
  acceptHandshake(socket, clock, {
    admit,
    onOpen(webSocket, host) {
      const local = nameAt(host, protocol);
      flow = openWebSocketFlow(webSocket, socket, { ...options, protocol, local, remoteHost });
    },
  });
  return { close: () => flow === undefined ? void socket.end() : flow.close() };
}

const hasTls = ({ fields }: HttpHead): boolean =>
  clientUsesTls({
    forwarded: fields.get("forwarded"),
    xForwardedProto: fields.get("x-forwarded-proto"),
  });

function clientOf(
  { fields }: HttpHead,
  isTrusted: (host: string) => boolean,
): string | undefined | ContradictoryProxy {
  const [forwarded, xForwardedFor] = [fields.get("forwarded"), fields.get("x-forwarded-for")];
  try {
    return clientAddress({ forwarded, xForwardedFor }, isTrusted);
  } catch (error) {
    if (error instanceof ContradictoryProxy) return error;
    throw error;
  }
}
