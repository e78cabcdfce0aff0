import { LEG_CLOSED } from "../base/port.ts";
import { isIPv6 } from "node:net";
import { type Address, createLatch, type Latch } from "../rtp/latch.ts";
import { isRtcp, parseRtp } from "../rtp/rtp.ts";
import type { Datagrams, RtpSockets } from "../rtp/rtp_sockets.ts";
import { ofKind } from "../sdp/parse_sdp.ts";
import { isUnspecified } from "../sdp/read_audio.ts";
import { refusal, type RtpAudio, type Session } from "../sdp/sdp.ts";
import { newStream, type Peer } from "../sdp/transport.ts";
import type { Channel, DtlsSecuringOptions, Securing } from "./rtp_security.ts";

/** Sends a DTLS datagram on a channel, to an address or to the target of the channel. */
export type SendDatagram = DtlsSecuringOptions["send"];

export interface PeerParts {
  /** Closed with the peer. */
  sockets: RtpSockets;
  local: Session<RtpAudio>;
  /** The peer's audio section of its offer; without it we send the offer. */
  remote: RtpAudio | undefined;
  /** Monotonic time in ms. */
  now: () => number;
  /** The audio section with the address to send to, which differs for legs of our own. */
  within(audio: RtpAudio): RtpAudio;
  /** True where signalling knows an address of the peer, beside that of the SDP. */
  isSource(address: string): boolean;
  /** Makes the security of the packets; undefined for packets in the clear. */
  securing(send: SendDatagram): Securing | undefined;
}

interface State extends PeerParts {
  readonly latch: Latch;
  readonly control: ReturnType<typeof rtcpTarget>;
  /** True where RTP and RTCP share a port. */
  readonly isShared: boolean;
  readonly connected: PromiseWithResolvers<void>;
  security: Securing | undefined;
  session: Session<RtpAudio>;
  closed: Promise<void> | undefined;
}

/** The other end of one leg of plain RTP. Throws a refusal of an offer that it cannot take. */
export function createPeer(parts: PeerParts): Peer {
  const { sockets, local, remote, now, isSource } = parts;
  const unknown = Promise.withResolvers<string>();
  const state: State = {
    ...parts,
    latch: createLatch({ now, isSource, onUnknown: ({ address }) => unknown.resolve(address) }),
    control: rtcpTarget(local.audio),
    isShared: sockets.rtp === sockets.rtcp,
    connected: Promise.withResolvers(),
    security: undefined,
    session: local,
    closed: undefined,
  };
  const { connected } = state;
  connected.promise.catch(() => {});
  const security = parts.securing((datagram, channel, to) =>
    sendDatagram(state, datagram, { channel, to })
  );
  state.security = security;
  // Our answer says what we take of the offer, our offer what we support.
  if (security !== undefined) local.audio.security = security.ours();
  if (remote !== undefined) take(state, remote);
  const peer: Peer = {
    local: state.session,
    stream: newStream(),
    connected: connected.promise,
    lost: security?.lost ?? new Promise(() => {}),
    unknownSource: unknown.promise,
    vanishesSilently: true,
    onPacket: undefined,
    accept: (answer) => take(state, ofKind("rtp", answer).audio),
    change(offer) {
      take(state, ofKind("rtp", offer).audio);
      return state.session;
    },
    send: createSend(state),
    close() {
      connected.reject(LEG_CLOSED);
      security?.close();
      return state.closed ??= sockets.close();
    },
  };
  for (const socket of new Set([sockets.rtp, sockets.rtcp])) listen(state, peer, socket);
  return peer;
}

/** Takes the peer's side of an offer or an answer; throws a refusal. */
function take(state: State, signalled: RtpAudio): void {
  const { local, latch, control, security, connected } = state;
  const audio = state.within(signalled);
  assertReachable(local.audio.address, audio);
  if (security === undefined && audio.security !== undefined) {
    throw refusal("it secures audio that was not secured", "transport");
  }
  if (!isUnspecified(audio.address)) {
    latch.signal(audio);
    control.signal(audio);
  }
  if (security === undefined) return connected.resolve();
  security.take(audio.security);
  state.session = { ...local, audio: { ...local.audio, security: security.ours() } };
  security.ready.then(connected.resolve, () => {});
}

/** Sends RTP and RTCP packets; drops them without a target. */
function createSend(state: State): Peer["send"] {
  const { sockets, latch, control, security, isShared } = state;
  const { rtp, rtcp } = sockets;
  return (packet) => {
    const isControl = isRtcp(packet);
    const to = isControl ? control.target(latch.target()) : latch.target();
    if (state.closed !== undefined || to === undefined) return;
    const channel = isControl && !isShared ? 1 : 0;
    const bytes = security === undefined ? packet : security.protect(packet, channel);
    if (bytes !== undefined) (isControl ? rtcp : rtp).send(bytes, to);
  };
}

/** Sends a DTLS datagram on a channel, to an address or to the target of the channel. */
function sendDatagram(
  { sockets, latch, control, closed }: State,
  datagram: Uint8Array<ArrayBuffer>,
  { channel, to }: { channel: Channel; to: Address | undefined },
): void {
  const target = to ?? (channel === 0 ? latch.target() : control.target(latch.target()));
  if (target === undefined || closed !== undefined) return;
  (channel === 0 ? sockets.rtp : sockets.rtcp).send(datagram, target);
}

/** Passes the packets of the peer that arrive at a socket to `onPacket`. */
function listen(state: State, peer: Peer, socket: Datagrams): void {
  const { sockets, latch, control, security, isShared } = state;
  const channel = socket === sockets.rtcp && !isShared ? 1 : 0;
  /** The packet of SRTP in the clear. DTLS is accepted only from addresses that signalling knows. */
  const inTheClear = (security: Securing, bytes: Uint8Array, from: Address) => {
    const [first = 0] = bytes;
    // RFC 7983 §7.
    if (first >= 128 && first <= 191) return security.unprotect(bytes, channel);
    if (first >= 20 && first <= 63 && latch.knows(from.address)) {
      security.receive(bytes, from, channel);
    }
    return undefined;
  };
  socket.onMessage = (received, from) => {
    if (state.closed !== undefined) return;
    const bytes = security === undefined ? received : inTheClear(security, received, from);
    if (bytes === undefined) return;
    const packet = parseRtp(bytes);
    const isOfPeer = packet === undefined
      ? isRtcp(bytes) && control.admits(from, latch.target())
      : socket === sockets.rtp && latch.admits(from, packet);
    if (isOfPeer) peer.onPacket?.(bytes, packet);
  };
}

/** Throws a refusal if an address is of another IP version than our sockets. */
export function assertReachable(bindAddress: string, { address }: RtpAudio): void {
  if (isIPv6(bindAddress) === isIPv6(address)) return;
  throw refusal(
    `it has an address of ${isIPv6(address) ? "IPv6" : "IPv4"}, which we do not send to`,
    "address",
  );
}

type Target = Address | undefined;

/**
 * The address for RTCP: that of RTP when they share a port, else the signalled port at the host of RTP.
 * Packets from other hosts are dropped; a packet from that host shows the port of its NAT.
 */
function rtcpTarget({ port: ourPort, rtcpPort: ourRtcpPort }: RtpAudio) {
  let port = 0;
  return {
    signal(remote: RtpAudio) {
      port = remote.rtcpPort;
    },
    target: (rtp: Target): Target =>
      ourPort === ourRtcpPort ? rtp : rtp && { address: rtp.address, port },
    admits(from: Address, rtp: Target): boolean {
      if (rtp?.address !== from.address) return false;
      port = from.port;
      return true;
    },
  };
}
