import { isIPv6 } from "node:net";
import { addressList } from "../../../core/base/networks.ts";
import { ofKind } from "../sdp/parse_sdp.ts";
import { isUnspecified } from "../sdp/read_audio.ts";
import {
  createRtpPorts,
  type PortRange,
  type RtpSockets,
  type Udp,
  udpByDeno,
} from "../rtp/rtp_sockets.ts";
import { assertReachable, createPeer, type SendDatagram } from "./plain_rtp_peer.ts";
import {
  type Channel,
  dtlsSecuring,
  eitherSecuring,
  sdesSecuring,
  type Securing,
} from "./rtp_security.ts";
import { OUR_FORMATS, type RtpAudio, type RtpSecurity, type Session } from "../sdp/sdp.ts";
import { systemClock } from "../base/ticker.ts";
import type { Transport } from "../sdp/transport.ts";
import { type Certificate, keptCertificate } from "../webrtc/certificate.ts";

export interface RtpOptions {
  /** The address to bind sockets to. */
  bindAddress: string;
  /** The IP address in our SDP, such as the public one of a NAT; read for each leg. */
  readonly host: string;
  ports: PortRange;
  /** Opens the sockets, by default with Deno; closed with the transport. */
  udp?: Udp;
  /** Monotonic time in ms. */
  now: () => number;
}

/** RTP over UDP without ICE (RFC 3551), for trunks and softphones. */
export function rtpTransport(options: RtpOptions): Transport {
  const { bindAddress, ports, udp = udpByDeno, now } = options;
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
      // RTP and RTCP share a port (RFC 5761) where the peer offers it; our offers have two.
      const shared = remote !== undefined && remote.rtcpPort === remote.port;
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
 * The ports of open legs. A leg whose peer is one of our own ports sends within the machine: a NAT need
 * not route packets to its own public address back (hairpinning, RFC 4787 §6).
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

/** The profiles of our offers. */
const protocols = { none: "RTP/AVP", either: "RTP/SAVP", dtls: "UDP/TLS/RTP/SAVP" } as const;

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
