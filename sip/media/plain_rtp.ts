import { isIPv6 } from "node:net";
import { addressList } from "./address_list.ts";
import { type Address, createLatch } from "./latch.ts";
import { ofKind } from "./parse_sdp.ts";
import { isUnspecified } from "./read_audio.ts";
import { isRtcp, parseRtp } from "./rtp.ts";
import {
  createRtpPorts,
  type PortRange,
  type RtpSockets,
  type Udp,
  udpByDeno,
} from "./rtp_sockets.ts";
import { OUR_FORMATS, refusal, type RtpAudio, type Session } from "./sdp.ts";
import { newStream, type Peer, type Transport } from "./transport.ts";

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

/** Plain RTP over UDP (RFC 3551), for trunks and softphones that are no browsers. */
export function rtpTransport(options: RtpOptions): Transport {
  const { bindAddress, ports, mux = false, udp = udpByDeno, now } = options;
  const pool = createRtpPorts(udp, bindAddress, ports);
  const ours = createOwnPorts(options);
  return {
    kind: "rtp",
    async open(offer, { host = options.host, sources = [] } = {}) {
      if (isUnspecified(host)) {
        throw new Error(`Cannot open a leg of plain RTP: peers cannot send to "${host}"`);
      }
      const remote = offer && ofKind("rtp", offer).audio;
      if (remote !== undefined) assertReachable(bindAddress, remote);
      const shared = remote === undefined ? mux : remote.rtcpPort === remote.port;
      const sockets = ours.watch(await pool.open({ shared }));
      const local = ourSide(host, sockets, offer);
      return createPeer({
        sockets,
        local,
        remote,
        now,
        within: ours.within,
        isSource: addressList(sources),
      });
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

const ourSide = (
  address: string,
  { rtp, rtcp }: RtpSockets,
  offer: Session | undefined,
): Session<RtpAudio> => ({
  id: String(crypto.getRandomValues(new Uint32Array(1))[0]),
  version: 0,
  bundled: false,
  protocol: offer?.protocol ?? "RTP/AVP",
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
}

function createPeer({ sockets, local, remote, now, within, isSource }: PeerParts): Peer {
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

  const take = (signalled: RtpAudio) => {
    const audio = within(signalled);
    assertReachable(local.audio.address, audio);
    if (!isUnspecified(audio.address)) {
      latch.signal(audio);
      control.signal(audio);
    }
    resolve();
  };
  const peer: Peer = {
    local,
    stream: newStream(),
    connected,
    lost: new Promise(() => {}),
    unknownSource: unknown.promise,
    vanishesSilently: true,
    onPacket: undefined,
    accept: (answer) => take(ofKind("rtp", answer).audio),
    change(offer) {
      take(ofKind("rtp", offer).audio);
      return local;
    },
    send(packet) {
      const rtcp = isRtcp(packet);
      const to = rtcp ? control.target(latch.target()) : latch.target();
      if (closed !== undefined || to === undefined) return;
      (rtcp ? sockets.rtcp : sockets.rtp).send(packet, to);
    },
    close() {
      reject(new Error("Cannot connect media: the leg is closed"));
      return closed ??= sockets.close();
    },
  };
  for (const socket of new Set([sockets.rtp, sockets.rtcp])) {
    socket.onMessage = (bytes, from) => {
      if (closed !== undefined) return;
      const packet = parseRtp(bytes);
      const ours = packet === undefined
        ? isRtcp(bytes) && control.admits(from, latch.target())
        : socket === sockets.rtp && latch.admits(from, packet);
      if (ours) peer.onPacket?.(bytes, packet);
    };
  }
  if (remote !== undefined) take(remote);
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
