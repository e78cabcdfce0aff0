import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import { parseSdp } from "../../../sip/media/sdp/parse_sdp.ts";
import { openPeer } from "../../../sip/media/webrtc/peer.ts";
import type { MediaEngine, MediaLeg } from "../../../sip/media/base/port.ts";
import { type HeardReport, parseReport } from "../../../sip/media/rtp/rtcp.ts";
import { isRtcp, parseRtp, type RtpPacket, writeRtp } from "../../../sip/media/rtp/rtp.ts";
import type { Direction, Formats } from "../../../sip/media/sdp/sdp.ts";
import type { Peer } from "../../../sip/media/sdp/transport.ts";
import { ownSockets } from "../../../sip/media/webrtc/sockets.ts";
import { writeSdp } from "../../../sip/media/sdp/write_sdp.ts";
import { tone } from "./tone.ts";

/** A WebRTC peer in this process that hears and sends bare RTP. */
export interface RtpPeer {
  leg: MediaLeg;
  /** A later offer of its own. */
  offer(direction: Direction): string;
  /** Resolves with the next packets that arrive and fit. */
  next(count: number, fits: (packet: RtpPacket) => boolean): Promise<RtpPacket[]>;
  /** Resolves with the next RTCP report that arrives and fits. */
  nextReport(fits?: (report: HeardReport) => boolean): Promise<HeardReport>;
  send(packet: Omit<RtpPacket, "ssrc">): void;
  close(): Promise<void>;
}

/** The part of a peer that does not depend on signalling. */
export type BarePeer = Pick<Peer, "local" | "stream" | "onPacket" | "send" | "close">;

const sockets = ownSockets("127.0.0.1");

/** A peer that has offered these formats to the engine and is connected with the leg. */
export async function connectRtpPeer(engine: MediaEngine, formats: Formats): Promise<RtpPeer> {
  const peer = await openPeer({ sockets, mid: "audio", formats });
  const leg = await engine.answer(writeSdp(peer.local));
  peer.accept(parseSdp(leg.localSdp));
  await Promise.all([leg.connected, peer.connected]);
  return rtpPeer(leg, peer);
}

/** A peer that has answered an offer of the engine and is connected with the leg. */
export async function answerRtpPeer(engine: MediaEngine): Promise<RtpPeer> {
  const leg = await engine.offer();
  const offer = parseSdp(leg.localSdp);
  const { mid = "", formats } = offer.audio;
  const peer = await openPeer({ sockets, mid, formats, offer });
  await leg.accept(writeSdp(peer.local));
  await Promise.all([leg.connected, peer.connected]);
  return rtpPeer(leg, peer);
}

/** A peer of a leg, by what it is connected with. */
export const rtpPeer = (leg: MediaLeg, peer: BarePeer): RtpPeer => ({
  leg,
  offer: (direction) => writeSdp({ ...peer.local, audio: { ...peer.local.audio, direction } }),
  next: (count, fits) => collect({ peer, count, read: parseRtp, fits }),
  async nextReport(fits = () => true) {
    const read = (bytes: Uint8Array) => isRtcp(bytes) ? parseReport(bytes) : undefined;
    return (await collect({ peer, count: 1, read, fits }))[0]!;
  },
  send: (packet) => peer.send(writeRtp({ ...packet, ssrc: peer.stream.ssrc })),
  close: () => peer.close(),
});

/**
 * Says a tone in PCMU, a packet each 20 ms, until the result is called: that gives the next number. A
 * burst of packets would be heard only as far as no pause of the machine's, longer than any delay of
 * sound, comes between them.
 */
export function speak({ send }: Pick<RtpPeer, "send">, hz: number): () => number {
  const pcm = tone(hz, 0.2); // Whole periods of what tests use.
  let sequence = 0;
  const timer = setInterval(() => {
    const at = sequence % 10 * 160;
    const payload = encodeG711("PCMU", pcm.slice(at, at + 160));
    send({ payloadType: 0, marker: false, sequence, timestamp: sequence++ * 160, payload });
  }, 20);
  return () => {
    clearInterval(timer);
    return sequence;
  };
}

interface Collecting<T> {
  peer: BarePeer;
  count: number;
  read: (bytes: Uint8Array) => T | undefined;
  fits: (item: T) => boolean;
}

function collect<T>({ peer, count, read, fits }: Collecting<T>): Promise<T[]> {
  const items: T[] = [];
  const { promise, resolve } = Promise.withResolvers<T[]>();
  peer.onPacket = (bytes) => {
    const item = read(new Uint8Array(bytes));
    if (item !== undefined && fits(item)) items.push(item);
    if (items.length < count) return;
    peer.onPacket = undefined;
    resolve(items);
  };
  return promise;
}

/** Returns whether a packet is of mu-law, and of more than silence. */
export const isMulawSound = ({ payloadType, payload }: RtpPacket): boolean =>
  payloadType === 0 && payload.some((code) => code !== 0xff);
