import { isIPv6 } from "node:net";
import { addressList } from "../../../core/net/networks.ts";
import { type Address, createLatch } from "../rtp/latch.ts";
import { ofKind } from "../sdp/parse_sdp.ts";
import { isUnspecified } from "../sdp/read_audio.ts";
import { isRtcp, parseRtp } from "../rtp/rtp.ts";
import {
  createRtpPorts,
  type Datagrams,
  type PortRange,
  type RtpSockets,
  type Udp,
  udpByDeno,
} from "../rtp/rtp_sockets.ts";
import {
  type Channel,
  dtlsSecuring,
  eitherSecuring,
  sdesSecuring,
  type Securing,
} from "./rtp_security.ts";
import { OUR_FORMATS, refusal, type RtpAudio, type RtpSecurity, type Session } from "../sdp/sdp.ts";
import { systemClock } from "../base/ticker.ts";
import { newStream, type Peer, type Transport } from "../sdp/transport.ts";
import { type Certificate, keptCertificate } from "../webrtc/certificate.ts";

export interface RtpOptions {
  /** The address that sockets are bound to. */
  bindAddress: string;
  /** The IP address told to peers, such as the public one of a NAT; asked for with each leg. */
  readonly host: string;
  ports: PortRange;
  /** Whether our offers have one port for RTP and RTCP (RFC 5761); else two, which all peers take. */
  mux?: boolean;
  /** How its sockets are opened, which it ends; by Deno unless given. */
  udp?: Udp;
  /** Monotonic time in ms. */
  now: () => number;
}

/** RTP over UDP without ICE (RFC 3551), for trunks and softphones that are no browsers. */
export function rtpTransport(options: RtpOptions): Transport {
  const { bindAddress, ports, mux = false, udp = udpByDeno, now } = options;
  const pool = createRtpPorts(udp, bindAddress, ports);
  const ours = createOwnPorts(options);
  const certificate = keptCertificate(systemClock);
  return {
    kind: "rtp",
    async open(offer, { host = options.host, sources = [], secure } = {}) {
      if (isUnspecified(host)) {
        throw new Error(`Cannot open a leg of plain RTP: peers cannot send to "${host}"`);
      }
      const remote = offer && ofKind("rtp", offer).audio;
      if (remote !== undefined) assertReachable(bindAddress, remote);
      const shared = remote === undefined ? mux : remote.rtcpPort === remote.port;
      const kind = offer === undefined ? secure : remote?.security?.kind;
      const sockets = ours.watch(await pool.open({ shared }));
      try {
        return createPeer({
          sockets,
          local: ourSide(host, sockets, offer?.protocol ?? protocols[secure ?? "none"]),
          remote,
          now,
          within: ours.within,
          isSource: addressList(sources),
          securing: (send) => securingBy(kind, { send, sockets, remote, certificate }),
        });
      } catch (error) {
        await sockets.close();
        throw error;
      }
    },
    close: () => Promise.try(udp.close),
  };
}

/**
 * The ports of open legs. A leg that is told to send to one of them sends within the machine: a NAT
 * in front of it need not bring back what goes to its own address.
 */
function createOwnPorts(options: Pick<RtpOptions, "bindAddress" | "host">) {
  const { bindAddress } = options;
  const open = new Set<number>();
  const loopback = isIPv6(bindAddress) ? "::1" : "127.0.0.1";
  const inside = isUnspecified(bindAddress) ? loopback : bindAddress;
  return {
    watch(sockets: RtpSockets): RtpSockets {
      const { port } = sockets.rtp;
      open.add(port);
      const close = async () => {
        open.delete(port);
        await sockets.close();
      };
      return { ...sockets, close };
    },
    within: (audio: RtpAudio): RtpAudio =>
      audio.address === options.host && open.has(audio.port)
        ? { ...audio, address: inside }
        : audio,
  };
}

function assertReachable(bindAddress: string, { address }: RtpAudio): void {
  if (isIPv6(bindAddress) === isIPv6(address)) return;
  throw refusal(
    `it has an address of ${isIPv6(address) ? "IPv6" : "IPv4"}, which we do not send to`,
    "address",
  );
}

/** The profiles of our offers. */
const protocols = { none: "RTP/AVP", either: "RTP/SAVP", dtls: "UDP/TLS/RTP/SAVP" } as const;

/** Sends a datagram of DTLS by a channel, to an address or where the channel leads. */
type SendDatagram = Parameters<typeof dtlsSecuring>[0]["send"];

function securingBy(
  kind: RtpSecurity["kind"] | undefined,
  { send, sockets, remote, certificate }: {
    send: SendDatagram;
    sockets: RtpSockets;
    remote: RtpAudio | undefined;
    certificate(): Certificate;
  },
): Securing | undefined {
  const offer = remote?.security;
  if (kind === undefined) return undefined;
  if (kind === "sdes") return sdesSecuring(offer);
  const channels: Channel[] = sockets.rtp === sockets.rtcp ? [0] : [0, 1];
  const options = { certificate: certificate(), offer, channels, send };
  return kind === "dtls" ? dtlsSecuring(options) : eitherSecuring(options);
}

const ourSide = (
  address: string,
  { rtp, rtcp }: RtpSockets,
  protocol: string,
): Session<RtpAudio> => ({
  id: String(crypto.getRandomValues(new Uint32Array(1))[0]),
  version: 0,
  bundled: false,
  protocol,
  before: [],
  after: [],
  audio: {
    kind: "rtp",
    mid: undefined,
    direction: "sendrecv",
    formats: OUR_FORMATS,
    address,
    port: rtp.port,
    rtcpPort: rtcp.port,
  },
});

interface PeerParts {
  sockets: RtpSockets;
  local: Session<RtpAudio>;
  remote: RtpAudio | undefined;
  now: () => number;
  /** An address of our own as it is reached from here. */
  within(audio: RtpAudio): RtpAudio;
  isSource(address: string): boolean;
  /** How its packets are secured; they are not without it. */
  securing(send: SendDatagram): Securing | undefined;
}

function createPeer({ sockets, local, remote, now, within, isSource, securing }: PeerParts): Peer {
  const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
  connected.catch(() => {});
  const unknown = Promise.withResolvers<string>();
  const latch = createLatch({
    now,
    isSource,
    onUnknown: ({ address }) => unknown.resolve(address),
  });
  const control = rtcpTarget(local.audio);
  let closed: Promise<void> | undefined;
  let session = local;
  const isShared = sockets.rtp === sockets.rtcp;
  const channelOf = (isControl: boolean): Channel => isControl && !isShared ? 1 : 0;
  const security = securing((datagram, channel, to) => {
    const there = to ?? (channel === 0 ? latch.target() : control.target(latch.target()));
    if (there !== undefined && closed === undefined) {
      (channel === 0 ? sockets.rtp : sockets.rtcp).send(datagram, there);
    }
  });
  /** What came in a packet of SRTP; DTLS is taken only from where signalling knows the peer. */
  const inTheClear = (bytes: Uint8Array, from: Address, socket: Datagrams) => {
    const [first = 0] = bytes;
    const channel = channelOf(socket === sockets.rtcp);
    // RFC 7983 §7.
    if (first >= 128 && first <= 191) return security?.unprotect(bytes, channel);
    if (first >= 20 && first <= 63 && latch.knows(from.address)) {
      security?.receive(bytes, from, channel);
    }
    return undefined;
  };

  const take = (signalled: RtpAudio) => {
    const audio = within(signalled);
    assertReachable(local.audio.address, audio);
    if (security === undefined && audio.security !== undefined) {
      throw refusal("it secures audio that was not secured", "transport");
    }
    if (!isUnspecified(audio.address)) {
      latch.signal(audio);
      control.signal(audio);
    }
    if (security === undefined) return resolve();
    security.take(audio.security);
    session = { ...local, audio: { ...local.audio, security: security.ours() } };
    security.ready.then(resolve, () => {});
  };
  // Our answer says what we take of the offer, our offer what we have.
  if (security !== undefined) local.audio.security = security.ours();
  if (remote !== undefined) take(remote);
  const peer: Peer = {
    local: session,
    stream: newStream(),
    connected,
    lost: security?.lost ?? new Promise(() => {}),
    unknownSource: unknown.promise,
    vanishesSilently: true,
    onPacket: undefined,
    accept: (answer) => take(ofKind("rtp", answer).audio),
    change(offer) {
      take(ofKind("rtp", offer).audio);
      return session;
    },
    send(packet) {
      const rtcp = isRtcp(packet);
      const to = rtcp ? control.target(latch.target()) : latch.target();
      if (closed !== undefined || to === undefined) return;
      const bytes = security === undefined ? packet : security.protect(packet, channelOf(rtcp));
      if (bytes !== undefined) (rtcp ? sockets.rtcp : sockets.rtp).send(bytes, to);
    },
    close() {
      reject(new Error("Cannot connect media: the leg is closed"));
      security?.close();
      return closed ??= sockets.close();
    },
  };
  for (const socket of new Set([sockets.rtp, sockets.rtcp])) {
    socket.onMessage = (received, from) => {
      if (closed !== undefined) return;
      const bytes = security === undefined ? received : inTheClear(received, from, socket);
      if (bytes === undefined) return;
      const packet = parseRtp(bytes);
      const ours = packet === undefined
        ? isRtcp(bytes) && control.admits(from, latch.target())
        : socket === sockets.rtp && latch.admits(from, packet);
      if (ours) peer.onPacket?.(bytes, packet);
    };
  }
  return peer;
}

type Target = Address | undefined;

/**
 * Where RTCP goes: with RTP when they share a port, else to the port signalled, at the host that RTP
 * comes from. Packets from that host show a NAT's port and are the only ones heard.
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
