import { isIPv4, isIPv6 } from "node:net";
import { newCertificate } from "./certificate.ts";
import { mediaLimits } from "./limits.ts";
import { connectNative, type NativeConnection } from "./native_connection.ts";
import { ofKind } from "./parse_sdp.ts";
import { isUnspecified } from "./read_audio.ts";
import { type Formats, refusal, type Session, type WebrtcAudio } from "./sdp.ts";
import { newStream, type Peer } from "./transport.ts";

interface OfferOptions {
  bindAddress: string;
  /** The port that it shares with all others, which is open; ports of its own unless given. */
  port?: number;
  mid: string;
  formats: Formats;
}

/** Our side of an offer. What comes before the answer is dropped. Throws when no ports are free. */
export function offerWebrtc(options: OfferOptions): Peer {
  const { bindAddress, port, mid, formats } = options;
  const reserved = port === undefined ? reservePorts(bindAddress) : sharedPort(port);
  const certificate = newCertificate();
  const audio: WebrtcAudio = {
    kind: "webrtc",
    mid,
    direction: "sendrecv",
    formats,
    setup: "actpass",
    ufrag: randomText(8),
    password: randomText(24),
    fingerprint: certificate.fingerprint,
    candidates: candidatesOf(bindAddress, reserved.ports),
  };
  const { ufrag, password } = audio;
  const identity = { ...reserved, ufrag, password, certificate };
  return createPeer(
    audio,
    (remote, stream, onPacket) => connectNative({ ...options, stream, remote, identity }, onPacket),
    reserved.release,
  );
}

type Connect = (
  remote: Session<WebrtcAudio>,
  stream: Peer["stream"],
  onPacket: (packet: Uint8Array) => void,
) => NativeConnection;

function createPeer(audio: WebrtcAudio, connect: Connect, release: () => void): Peer {
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  connected.promise.catch(() => {});
  let connection: NativeConnection | undefined;
  let closed: Promise<void> | undefined;
  const peer: Peer = {
    local: ourSession(audio),
    stream: newStream(),
    connected: connected.promise,
    lost: lost.promise,
    vanishesSilently: false,
    onPacket: undefined,
    accept(answer) {
      if (connection !== undefined) throw new Error("Cannot take an answer: there is one");
      if (closed !== undefined) throw new Error("Cannot take an answer: the leg is closed");
      const remote = ofKind("webrtc", answer);
      if (remote.audio.setup === "actpass") throw refusal(`its setup is "actpass"`);
      connection = connect(
        { ...remote, audio: { ...remote.audio, mid: audio.mid } },
        peer.stream,
        (packet) => peer.onPacket?.(packet),
      );
      connection.connected.then(connected.resolve, connected.reject);
      connection.lost.then(lost.resolve);
    },
    // The directions are ours to keep; the native side goes on as it is.
    change: () => {},
    send: (packet) => connection?.send(packet),
    close() {
      connected.reject(new Error("Cannot connect media: the leg is closed"));
      release();
      return closed ??= connection?.close() ?? Promise.resolve();
    },
  };
  return peer;
}

const ourSession = (audio: WebrtcAudio): Session<WebrtcAudio> => ({
  id: String(crypto.getRandomValues(new Uint32Array(1))[0]),
  version: 0,
  bundled: true,
  protocol: "UDP/TLS/RTP/SAVPF",
  before: [],
  after: [],
  audio,
});

const sharedPort = (port: number) => ({ ports: { first: port, last: port }, release: () => {} });

/**
 * Two ports, the second above the first, kept from others until `release`. The native side then
 * binds one of them. It would end the process if it could bind none, and between the two steps
 * somebody else may get one, though hardly both.
 */
function reservePorts(hostname: string) {
  const bind = (port: number) => Deno.listenDatagram({ transport: "udp", hostname, port });
  let why: unknown;
  for (let i = 0; i < mediaLimits.portPairTries; i++) {
    const lower = bind(0);
    const { port } = lower.addr as Deno.NetAddr;
    try {
      const upper = bind(port + 1);
      let sockets = [lower, upper];
      const release = () => {
        for (const socket of sockets) socket.close();
        sockets = [];
      };
      return { ports: { first: port, last: port + 1 }, release };
    } catch (cause) {
      lower.close();
      why = cause;
    }
  }
  throw new Error(`Cannot reserve media ports on "${hostname}": ${why}`);
}

/** Host candidates (RFC 8445 §5.1.1.1), as the native side makes them. */
function candidatesOf(bindAddress: string, { first, last }: { first: number; last: number }) {
  const addresses = isUnspecified(bindAddress) ? machineAddresses(bindAddress) : [bindAddress];
  const ports = [...new Set([first, last])];
  const places = addresses.flatMap((address) => ports.map((port) => ({ address, port })));
  return places.slice(0, mediaLimits.candidates).map(({ address, port }, index) => {
    // The type's preference for hosts, ours, and the component (§5.1.2.1).
    const priority = (126 * 2 ** 24) + (0xffff - index) * 2 ** 8 + 255;
    return `${index + 1} 1 UDP ${priority} ${address} ${port} typ host`;
  });
}

/** The addresses that others may reach; a socket of IPv6 hears IPv4 too. */
const machineAddresses = (bindAddress: string): string[] =>
  Deno.networkInterfaces()
    .filter(({ name }) => name !== "docker0")
    .map(({ address }) => address)
    .filter((address) => isIPv6(bindAddress) || isIPv4(address))
    .filter((address) => !/^(127\.|::1$|fe80:)/i.test(address));

/** Characters of ICE, 6 bits of chance each (RFC 8445 §5.3 wants 24 and 128 in all). */
function randomText(length: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
}
