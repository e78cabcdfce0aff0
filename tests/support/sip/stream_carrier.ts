import { connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import type { TrunkRoute } from "../../../core/protocol/trunks.ts";
import { queue } from "../service/queue.ts";
import { testAuthority, testCertificates } from "../process/test_certificates.ts";
import type { SipLab } from "./sip_lab.ts";
import { peerResponse, type SipPeer, streamPeer } from "./sip_peer.ts";
import { type SipText, uriIn, valueOf, writeSip } from "./sip_text.ts";

export type StreamProtocol = "TCP" | "TLS";

/** A carrier's server that sends over TCP or TLS as a test orders, by as many connections. */
export interface StreamCarrier {
  readonly contact: string;
  readonly route: TrunkRoute;
  /** A connection to the companion. */
  connect(): Promise<SipPeer>;
  /** The next connection of the companion. */
  accepted(): Promise<SipPeer>;
  /** A request as it writes it. */
  request(
    method: string,
    target: string,
    ids: DialogIds,
    more?: { lines?: string[]; sdp?: string },
  ): string;
  respond(peer: SipPeer, request: SipText, status: number, sdp?: string, lines?: string[]): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Fields that stay the same in the requests of a dialog. */
export interface DialogIds {
  from: string;
  to: string;
  callId: string;
  cseq: number;
}

/** Opens one on the loopback; `host` is its address over TCP. */
export async function openCarrier(
  lab: Pick<SipLab, "companion">,
  protocol: StreamProtocol,
  host = protocol === "TLS" ? "127.0.0.1" : "127.0.0.2",
): Promise<StreamCarrier> {
  const accepted = queue<SipPeer>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): SipPeer => {
    sockets.add(socket);
    return streamPeer(socket);
  };
  const take = (socket: Socket) => accepted.put(keep(socket));
  const server: Server = protocol === "TLS"
    ? createTlsServer(testCertificates.first, take)
    : createServer(take);
  const listening = Promise.withResolvers<void>();
  server.listen(0, host, listening.resolve);
  await listening.promise;
  const { port } = server.address() as { port: number };
  const name = protocol === "TLS" ? "localhost" : host;
  const address = `${name}:${port}`;
  const transport = protocol.toLowerCase();
  const contact = `sip:carrier@${address};transport=${transport}`;
  return {
    contact,
    route: { gatewaySid: null, proxy: `${address};transport=${transport}`, publicOnly: false },
    accepted: accepted.take,
    async connect() {
      const to = lab.companion.sipAddresses.get(protocol)!;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const socket = protocol === "TLS"
        ? connectTls(
          { ...to, servername: "sip.test", ca: testAuthority, localAddress: host } as never,
        )
        : connect({ ...to, localAddress: host });
      socket.once(protocol === "TLS" ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
      await promise;
      return keep(socket);
    },
    request: (method, target, { from, to, callId, cseq }, { lines = [], sdp } = {}) =>
      writeSip(`${method} ${target} SIP/2.0`, [
        `Via: SIP/2.0/${protocol} ${address};branch=z9hG4bK${crypto.randomUUID()}`,
        `From: ${from}`,
        `To: ${to}`,
        `Call-ID: ${callId}`,
        `CSeq: ${cseq} ${method}`,
        "Max-Forwards: 70",
        `Contact: <${contact}>`,
        ...lines,
      ], sdp),
    respond(peer, request, status, sdp, lines = []) {
      const headers = [`Contact: <${contact}>`, ...lines];
      peer.send(peerResponse(request, status, { headers, ...sdp === undefined ? {} : { sdp } }));
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

/** The next request of a method on a connection; others are left aside. */
export async function requestOn(peer: SipPeer, method: string): Promise<SipText> {
  for (;;) {
    const message = await peer.next();
    if (message.method === method) return message;
  }
}

/** The next final response on a connection. */
export async function finalOn(peer: SipPeer): Promise<SipText> {
  for (;;) {
    const message = await peer.next();
    if ((message.status ?? 0) >= 200) return message;
  }
}

/** The ids of a dialog that the carrier began, after the response to its INVITE. */
export const calledIds = (response: SipText, cseq = 2): DialogIds & { target: string } => ({
  from: valueOf(response, "from"),
  to: valueOf(response, "to"),
  callId: valueOf(response, "call-id"),
  cseq,
  target: uriIn(valueOf(response, "contact")),
});

/** The ids of a dialog that the companion began, and the carrier answered. */
export const answeredIds = (invite: SipText, cseq = 1): DialogIds & { target: string } => ({
  from: `${valueOf(invite, "to")};tag=callee`,
  to: valueOf(invite, "from"),
  callId: valueOf(invite, "call-id"),
  cseq,
  target: uriIn(valueOf(invite, "contact")),
});
