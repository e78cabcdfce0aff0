import { decodeG711, encodeG711, type Law } from "../../../sip/media/codecs/g711.ts";
import { ofKind, parseSdp } from "../../../sip/media/sdp/parse_sdp.ts";
import type { MediaEngine, MediaLeg } from "../../../sip/media/base/port.ts";
import { type HeardReport, parseReport } from "../../../sip/media/rtp/rtcp.ts";
import { isRtcp, parseRtp, type RtpPacket, writeRtp } from "../../../sip/media/rtp/rtp.ts";
import { bindDatagrams } from "../../../sip/media/rtp/rtp_sockets.ts";
import { amplitudeOf, tone } from "../media/tone.ts";

/** A UDP socket that speaks RTP and RTCP on one port, as a softphone or a trunk would. */
export interface PlainSocket {
  readonly port: number;
  /** Sends a packet; its numbers follow the last one's unless given. */
  send(to: number, packet?: Partial<RtpPacket>): void;
  sendBytes(to: number, bytes: Uint8Array): void;
  /** Resolves with the next packets that arrive and fit. */
  next(count: number, fits?: (packet: RtpPacket) => boolean): Promise<RtpPacket[]>;
  /** Resolves with the next datagram that fits. */
  nextBytes(fits: (bytes: Uint8Array) => boolean): Promise<Uint8Array>;
  nextReport(fits?: (report: HeardReport) => boolean): Promise<HeardReport>;
  close(): Promise<void>;
}

/** One at an address of the loopback. */
export async function plainSocket(ssrc = 7_000, address = "127.0.0.1"): Promise<PlainSocket> {
  const socket = await bindDatagrams(address, 0);
  const listeners = new Set<(bytes: Uint8Array) => void>();
  socket.onMessage = (bytes) => listeners.forEach((listener) => listener(bytes));
  let last: RtpPacket = {
    payloadType: 0,
    marker: false,
    sequence: 1_000,
    timestamp: 50_000,
    ssrc,
    payload: new Uint8Array(160).fill(0x55),
  };
  const sendBytes = (to: number, bytes: Uint8Array) =>
    socket.send(bytes, { address: "127.0.0.1", port: to });
  return {
    port: socket.port,
    sendBytes,
    send(to, changes = {}) {
      const { sequence, timestamp } = last;
      last = {
        ...last,
        sequence: (sequence + 1) & 0xffff,
        timestamp: (timestamp + 160) >>> 0,
        ...changes,
      };
      sendBytes(to, writeRtp(last));
    },
    async next(count, fits = () => true) {
      const read = (bytes: Uint8Array) => parseRtp(bytes);
      return await collect({ listeners, count, read, fits });
    },
    async nextBytes(fits) {
      return (await collect({ listeners, count: 1, read: (bytes) => bytes, fits }))[0]!;
    },
    async nextReport(fits = () => true) {
      const read = (bytes: Uint8Array) => isRtcp(bytes) ? parseReport(bytes) : undefined;
      return (await collect({ listeners, count: 1, read, fits }))[0]!;
    },
    close: () => socket.close(),
  };
}

interface Collecting<T> {
  listeners: Set<(bytes: Uint8Array) => void>;
  count: number;
  read: (bytes: Uint8Array) => T | undefined;
  fits: (item: T) => boolean;
}

function collect<T>({ listeners, count, read, fits }: Collecting<T>): Promise<T[]> {
  const { promise, resolve } = Promise.withResolvers<T[]>();
  const items: T[] = [];
  const onMessage = (bytes: Uint8Array) => {
    const item = read(new Uint8Array(bytes));
    if (item !== undefined && fits(item)) items.push(item);
    if (items.length < count) return;
    listeners.delete(onMessage);
    resolve(items);
  };
  listeners.add(onMessage);
  return promise;
}

/** Offer of a peer at a port of the loopback. Default: PCMU, digits and RTCP-mux. */
export const plainOffer = (
  port: number,
  { formats = "0 101", lines = ["a=rtcp-mux"], address = "127.0.0.1", version = 1 } = {},
): string =>
  [
    "v=0",
    `o=- 1 ${version} IN IP4 127.0.0.1`,
    "s=-",
    `c=IN IP4 ${address}`,
    "t=0 0",
    `m=audio ${port} RTP/AVP ${formats}`,
    "a=rtpmap:101 telephone-event/8000",
    ...lines,
    "",
  ].join("\r\n");

/** Port at which a leg receives RTP. */
export const portOf = (sdp: string): number => ofKind("rtp", parseSdp(sdp)).audio.port;

export interface PlainPeer extends PlainSocket {
  leg: MediaLeg;
  /** Port at which the leg receives. */
  to: number;
  law: Law;
  /** Sends a tone in packets of `ptimeMs`. */
  sendTone(hz: number, options?: { seconds?: number; ptimeMs?: number }): void;
}

/** A peer that offered one law to the engine. */
export async function connectPlainPeer(engine: MediaEngine, law: Law): Promise<PlainPeer> {
  const socket = await plainSocket();
  const payloadType = law === "PCMU" ? 0 : 8;
  const leg = await engine.answer(plainOffer(socket.port, { formats: `${payloadType} 101` }));
  const to = portOf(leg.localSdp);
  return {
    ...socket,
    leg,
    to,
    law,
    sendTone(hz, { seconds = 0.2, ptimeMs = 20 } = {}) {
      const pcm = tone(hz, seconds);
      const size = ptimeMs * 8;
      for (let at = 0; at < pcm.length; at += size) {
        const payload = encodeG711(law, pcm.slice(at, at + size));
        socket.send(to, { payloadType, payload, timestamp: 50_000 + at });
      }
    },
  };
}

/** The sound of packets in a law, in the order of their numbers: a network may have another. */
export const soundOf = (law: Law, packets: RtpPacket[]): Int16Array =>
  Int16Array.from(
    packets.toSorted((a, b) => (a.sequence - b.sequence) << 16 >> 16)
      .flatMap(({ payload }) => [...decodeG711(law, payload)]),
  );

/** Level of a tone in the middle one of packets: a late machine leaves frames out between them. */
export function loudnessOf(hz: number, law: Law, packets: RtpPacket[]): number {
  const levels = packets.map((packet) => amplitudeOf(hz, soundOf(law, [packet])));
  return levels.toSorted((a, b) => a - b)[levels.length >> 1]!;
}

/** Returns whether a packet is audio and more than silence. */
export const isSound = ({ payloadType, payload }: RtpPacket): boolean =>
  payloadType < 96 && payload.some((code) => code !== payload[0]);
