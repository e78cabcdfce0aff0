import { Buffer } from "node:buffer";
import { connect } from "node:net";
import type { Endpoint } from "../../../sip/base/flow.ts";
import { queue } from "../service/queue.ts";
import { frameOf, openRawWebSocket } from "./raw_websocket.ts";
import { peerRequest, type SipPeer, streamPeer } from "./sip_peer.ts";
import { readSip, type SipText, tagOf, uriIn, valueOf } from "./sip_text.ts";

export type BurstProtocol = "UDP" | "TCP" | "WS";

/** A peer that can send several messages so that the receiver has all of them at once. */
export interface BurstPeer extends Pick<SipPeer, "port" | "next" | "heard" | "close"> {
  readonly protocol: BurstProtocol;
  burst(...texts: string[]): void;
  /** The next message that fits; others are left aside. */
  until(fits: (message: SipText) => boolean): Promise<SipText>;
}

/** A peer that is connected to where a companion listens for the protocol. */
export async function openBurstPeer(protocol: BurstProtocol, to: Endpoint): Promise<BurstPeer> {
  const peer = await opened[protocol](to);
  return {
    ...peer,
    protocol,
    async until(fits) {
      for (;;) {
        const message = await peer.next();
        if (fits(message)) return message;
      }
    },
  };
}

type Opened = Omit<BurstPeer, "protocol" | "until">;

const opened: Record<BurstProtocol, (to: Endpoint) => Promise<Opened>> = {
  UDP: openUdp,
  TCP: openTcp,
  WS: openWs,
};

/** Datagrams that all leave in one turn of the event loop, so that this process reads none of them between. */
function openUdp(to: Endpoint): Promise<Opened> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const address = { transport: "udp", hostname: to.host, port: to.port } as const;
  const { heard, next, take } = inbox();
  const reading = (async () => {
    for await (const [data] of socket) take(new TextDecoder().decode(data));
  })().catch(() => {});
  return Promise.resolve({
    port: (socket.addr as Deno.NetAddr).port,
    heard,
    next,
    burst(...texts) {
      for (const text of texts) void socket.send(new TextEncoder().encode(text), address);
    },
    async close() {
      socket.close();
      await reading;
    },
  });
}

/** All in one segment. */
async function openTcp({ host, port }: Endpoint): Promise<Opened> {
  const socket = connect({ host, port });
  const connected = Promise.withResolvers<void>();
  socket.once("connect", connected.resolve);
  socket.once("error", connected.reject);
  await connected.promise;
  return { ...streamPeer(socket), burst: (...texts) => void socket.write(texts.join("")) };
}

/** A frame each, all in one segment. */
async function openWs({ host, port }: Endpoint): Promise<Opened> {
  const socket = await openRawWebSocket(`ws://${host}:${port}`);
  const { heard, next, take } = inbox();
  const reading = (async () => {
    for (let frame = await socket.read(); frame !== undefined; frame = await socket.read()) {
      take(new TextDecoder().decode(frame.payload));
    }
  })();
  return {
    port,
    heard,
    next,
    burst: (...texts) => void socket.write(Buffer.concat(texts.map((text) => frameOf(text, {})))),
    async close() {
      socket.close();
      await reading;
    },
  };
}

function inbox() {
  const messages = queue<SipText>();
  const heard: SipText[] = [];
  const take = (text: string) => {
    const message = readSip(text);
    heard.push(message);
    messages.put(message);
  };
  return { heard, next: messages.take, take };
}

/** Requests of one call, as the peer at one of its ends writes them. */
export interface BurstCall {
  /** A request in the dialog, or a CANCEL or ACK of the INVITE, by the same `cseq` and `branch`. */
  request(method: string, wanted: {
    cseq: number;
    branch?: string;
    sdp?: string;
    headers?: string[];
  }): string;
}

/** Of the call that the peer's INVITE began, in the dialog of `of`, its own response or text. */
export function callOf(peer: BurstPeer, invite: SipText, of: SipText): BurstCall {
  return ofDialog(peer, {
    target: tagOf(valueOf(of, "to")) === "" || valueOf(of, "contact") === ""
      ? invite.start.split(" ")[1]!
      : uriIn(valueOf(of, "contact")),
    from: valueOf(invite, "from"),
    to: valueOf(of, "to"),
    callId: valueOf(invite, "call-id"),
  });
}

/** Of the call whose INVITE came to the peer, which answered with a tag. */
export const calledOf = (peer: BurstPeer, invite: SipText, tag = "callee"): BurstCall =>
  ofDialog(peer, {
    target: uriIn(valueOf(invite, "contact")),
    from: `${valueOf(invite, "to")};tag=${tag}`,
    to: valueOf(invite, "from"),
    callId: valueOf(invite, "call-id"),
  });

const ofDialog = (
  { protocol, port }: BurstPeer,
  dialog: { target: string; from: string; to: string; callId: string },
): BurstCall => ({
  request: (method, wanted) => peerRequest(method, protocol, port, { ...dialog, ...wanted }),
});
