import type { Socket } from "node:net";
import type { Flow, ListenEvents, LocalName } from "../flow.ts";
import type { Clock } from "./clock.ts";
import { plainAddress } from "./local_name.ts";
import { openWebSocketFlow } from "./web_socket.ts";
import { acceptHandshake, refuseConnection } from "./web_socket_handshake.ts";

export interface AcceptOptions {
  protocol: "WS" | "WSS";
  /** Our name to a peer that asked for a Host. */
  nameAt(host: string): LocalName;
  clock: Clock;
  events: ListenEvents;
}

/**
 * Takes a stream that is to become a WebSocket for SIP (RFC 7118). It has its place from the first
 * moment, so that who never asks for one takes no more than others. The result closes it.
 */
export function acceptWebSocket(
  socket: Socket,
  options: AcceptOptions,
): { close(): void } | undefined {
  const { clock, events, nameAt } = options;
  const leave = events.onConnect(plainAddress(socket.remoteAddress ?? ""));
  if (leave === undefined) return void refuseConnection(socket, clock);
  socket.on("close", leave);
  let flow: Flow | undefined;
  acceptHandshake(socket, clock, (early, host) => {
    flow = openWebSocketFlow(socket, { ...options, local: nameAt(host), early });
  });
  return { close: () => flow === undefined ? void socket.end() : flow.close() };
}
