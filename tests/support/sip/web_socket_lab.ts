import type { Socket } from "node:net";
import type { Flow } from "../../../sip/base/flow.ts";
import { acceptWebSocket } from "../../../sip/transport/accept_web_socket.ts";
import { listenTcp } from "../../../sip/transport/stream_listener.ts";
import { type HandClock, handClock } from "../process/hand_clock.ts";
import { queue } from "../service/queue.ts";
import { openRawWebSocket, type RawWebSocket } from "./raw_websocket.ts";

/** A port that takes WebSockets for SIP, on a clock that stands still, with no core above it. */
export interface WebSocketLab {
  readonly clock: HandClock;
  readonly port: number;
  /** Opens a WebSocket; its other end is the latest flow. */
  open(): Promise<RawWebSocket>;
  /** Connects, writes, and resolves with all that comes until the other side has closed. */
  ask(...parts: string[]): Promise<string>;
  /** The server's ends of the connections, in order. */
  readonly sockets: Socket[];
  /** The places that are taken. */
  readonly places: () => number;
  nextMessage(): Promise<{ flow: Flow; text: string }>;
  nextClosed(): Promise<Flow>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openWebSocketLab(): Promise<WebSocketLab> {
  const clock = handClock();
  const messages = queue<{ flow: Flow; text: string }>();
  const closed = queue<Flow>();
  const sockets: Socket[] = [];
  let places = 0;
  const events = {
    onConnect: () => (places++, () => void places--),
    onMessage: (flow: Flow, text: string) => messages.put({ flow, text }),
    onClose: closed.put,
  };
  const local = { sentBy: "sip.test", contact: "sip:sip.test" };
  const address = { hostname: "127.0.0.1", port: 0, name: "SIP_WS_PORT" };
  const listener = await listenTcp(address, (socket) => {
    sockets.push(socket);
    return acceptWebSocket(socket, { protocol: "WS", nameAt: () => local, clock, events });
  }, { takeAddress: events.onConnect });
  const { port } = listener.address;
  const peers = new Set<RawWebSocket>();
  return {
    clock,
    port,
    async open() {
      const peer = await openRawWebSocket(`ws://127.0.0.1:${port}`);
      peers.add(peer);
      const close = () => void (peers.delete(peer) && peer.close());
      return { ...peer, close };
    },
    async ask(...parts) {
      using connection = await Deno.connect({ port });
      for (const part of parts) await connection.write(new TextEncoder().encode(part));
      return await new Response(connection.readable).text();
    },
    sockets,
    places: () => places,
    nextMessage: messages.take,
    nextClosed: closed.take,
    async [Symbol.asyncDispose]() {
      for (const peer of peers) peer.close();
      for (const socket of sockets) socket.destroy();
      await listener.close();
    },
  };
}
