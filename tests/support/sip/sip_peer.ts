import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { createFramer } from "../../../sip/transport/framing.ts";
import { queue } from "../service/queue.ts";
import { readSip, type SipText, valueOf, valuesOf, writeSip } from "./sip_text.ts";

/** A socket that sends SIP as a test orders; on UDP it can lose messages both ways. */
export interface SipPeer {
  readonly port: number;
  send(text: string | Uint8Array): void;
  /** The next message that was not lost. */
  next(): Promise<SipText>;
  /** Every message that came, lost or not. */
  readonly heard: SipText[];
  /** Loses the messages, of those that come from now on, of which it returns true. */
  loses: (message: SipText) => boolean;
  /** Resolves when the other side has closed; never on UDP. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

interface Address {
  host: string;
  port: number;
}

/** A peer on a UDP port of its own, and on an address of the loopback. */
export async function openUdpPeer(to?: Address, host = "127.0.0.1"): Promise<SipPeer> {
  const socket = createSocket("udp4");
  const bound = Promise.withResolvers<void>();
  socket.bind({ port: 0, address: host }, bound.resolve);
  await bound.promise;
  let last = to;
  let sent = Promise.resolve();
  const { peer, take } = createPeer(socket.address().port, {
    send(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      sent = promise;
      if (last === undefined) resolve();
      else socket.send(text, last.port, last.host, () => resolve());
    },
    closed: new Promise(() => {}),
    async close() {
      await sent;
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.close(() => resolve());
      await promise;
    },
  });
  socket.on("message", (data, { address, port }) => {
    last = { host: address, port };
    take(data.toString());
  });
  return peer;
}

/** A peer connected by TCP. */
export async function connectPeer({ host, port }: Address): Promise<SipPeer> {
  const socket = connect({ host, port });
  const connected = Promise.withResolvers<void>();
  socket.once("connect", connected.resolve);
  socket.once("error", connected.reject);
  await connected.promise;
  return streamPeer(socket);
}

/** A peer on a socket that is connected. */
export function streamPeer(socket: Socket): SipPeer {
  const closed = Promise.withResolvers<void>();
  const framer = createFramer();
  const { peer, take } = createPeer(socket.localPort ?? 0, {
    send: (text) => socket.write(text),
    closed: closed.promise,
    async close() {
      socket.destroy();
      await closed.promise;
    },
  });
  socket.on("error", () => {});
  socket.on("close", () => closed.resolve());
  socket.on("data", (chunk: Uint8Array) => {
    // A lone line end is the answer to a keep-alive, which no framer hands out.
    if (chunk.toString() === "\r\n") return take("\r\n");
    for (const frame of framer.push(chunk)) if (frame !== "ping") take(frame.message);
  });
  return peer;
}

function createPeer(
  port: number,
  wire: Pick<SipPeer, "closed" | "close"> & { send(text: string | Uint8Array): unknown },
): { peer: SipPeer; take(text: string): void } {
  const messages = queue<SipText>();
  const peer: SipPeer = {
    port,
    send: (text) => void wire.send(text),
    next: messages.take,
    heard: [],
    loses: () => false,
    closed: wire.closed,
    close: wire.close,
  };
  const take = (text: string) => {
    const message = readSip(text);
    peer.heard.push(message);
    if (!peer.loses(message)) messages.put(message);
  };
  return { peer, take };
}

export interface PeerRequest {
  via?: string;
  branch?: string;
  callId?: string;
  cseq?: number;
  from?: string;
  to?: string;
  target?: string;
  headers?: string[];
  sdp?: string;
}

let requests = 0;

/** A request as a peer at a port of the loopback writes it. */
export function peerRequest(
  method: string,
  protocol: string,
  port: number,
  wanted: PeerRequest = {},
): string {
  const id = ++requests;
  const branch = wanted.branch ?? `z9hG4bKpeer${id}`;
  const target = wanted.target ?? "sip:sip.test";
  return writeSip(`${method} ${target} SIP/2.0`, [
    `Via: ${wanted.via ?? `SIP/2.0/${protocol} 127.0.0.1:${port};branch=${branch};rport`}`,
    `From: ${wanted.from ?? "<sip:alice@sip.test>;tag=peer"}`,
    `To: ${wanted.to ?? `<${target}>`}`,
    `Call-ID: ${wanted.callId ?? `call-${id}`}`,
    `CSeq: ${wanted.cseq ?? 1} ${method}`,
    "Max-Forwards: 70",
    `Contact: <sip:alice@127.0.0.1:${port}>`,
    ...wanted.headers ?? [],
  ], wanted.sdp);
}

/** The response that a peer gives to a request that came to it. */
export function peerResponse(request: SipText, status: number, wanted: {
  tag?: string;
  headers?: string[];
  sdp?: string;
} = {}): string {
  const copied = ["Via", "From", "Call-ID", "CSeq"].flatMap((name) =>
    valuesOf(request, name.toLowerCase()).map((value) => `${name}: ${value}`)
  );
  const to = valueOf(request, "to");
  const tag = /;tag=/.test(to) ? "" : `;tag=${wanted.tag ?? "callee"}`;
  return writeSip(`SIP/2.0 ${status} Told So`, [
    ...copied,
    `To: ${to}${tag}`,
    ...wanted.headers ?? [],
  ], wanted.sdp);
}
