import type { Buffer } from "node:buffer";
import { Audio, PeerConnection, type Track } from "node-datachannel";
import type { Certificate } from "./certificate.ts";
import { sharing } from "./media_port.ts";
import { type Formats, rtpmapOf, type Session, type WebrtcAudio } from "./sdp.ts";
import { type Stream, writeSdp } from "./write_sdp.ts";

/** What our offer said of us, before there was a connection. */
export interface Identity {
  ports: { first: number; last: number };
  ufrag: string;
  password: string;
  certificate: Certificate;
  /** Frees the ports, at once. */
  release(): void;
}

export interface ConnectionOptions {
  bindAddress: string;
  /** The port that it shares with all others, which is open; one of its own unless given. */
  port?: number;
  mid: string;
  formats: Formats;
  stream: Stream;
  /** The peer's side: its offer, or its answer to ours. */
  remote: Session<WebrtcAudio>;
  /** Who we are, when ours was the offer. */
  identity?: Identity;
}

/** ICE, DTLS and SRTP with one peer. */
export interface NativeConnection {
  /** Resolves with our SDP when every candidate is in it. */
  readonly described: Promise<string>;
  /** Resolves when packets can flow; rejects when they never will, also by `close`. */
  readonly connected: Promise<void>;
  /** Resolves once, with the reason, when the peer is gone without `close`. */
  readonly lost: Promise<string>;
  send(packet: Uint8Array<ArrayBuffer>): void;
  /** Resolves when nothing is held any more. */
  close(): Promise<void>;
}

/**
 * Connects by node-datachannel; throws when it cannot take the peer's side. The native library
 * serves one isolate in a process: with two (Workers) the process ends.
 *
 * The native side always answers, also where our offer was the first. As the one who offers it would
 * take packets before it has the peer's fingerprint, and a DTLS handshake that is faster than its
 * own thread would fail. So its sockets open after it knows the peer.
 */
export function connectNative(
  options: ConnectionOptions,
  onPacket: (packet: Uint8Array) => void,
): NativeConnection {
  const { bindAddress, port, remote, identity } = options;
  const native = new PeerConnection("switchboard", {
    iceServers: [],
    bindAddress,
    disableAutoNegotiation: true,
    forceMediaTransport: true,
    ...port !== undefined && sharing(port),
    ...identity && {
      portRangeBegin: identity.ports.first,
      portRangeEnd: identity.ports.last,
      certificatePemFile: identity.certificate.certificatePem,
      keyPemFile: identity.certificate.keyPem,
    },
  });
  const track = native.addTrack(audioTrack(options));
  const states = watchStates(native, track);
  let closed: Promise<void> | undefined;
  const close = () => {
    states.close();
    track.close();
    native.close();
    return states.closed;
  };
  track.onMessage((packet) => {
    if (closed === undefined) onPacket(packet);
  });
  try {
    native.setRemoteDescription(remoteSdp(remote, identity), "offer");
    identity?.release();
    const { ufrag: iceUfrag, password: icePwd } = identity ?? {};
    native.setLocalDescription("answer", iceUfrag && icePwd ? { iceUfrag, icePwd } : {});
  } catch (cause) {
    void close();
    throw cause;
  }
  return {
    described: states.gathered.then(() => native.localDescription()?.sdp ?? ""),
    connected: states.connected,
    lost: states.lost,
    send(packet) {
      if (closed !== undefined || !states.isOpen()) return;
      try {
        // The native side takes any bytes; its types say otherwise.
        track.sendMessageBinary(packet as Buffer);
      } catch {
        // The transport ended in between, or SRTP refuses a packet that is too late.
      }
    },
    close: () => closed ??= close(),
  };
}

function audioTrack({ mid, formats, remote, stream }: ConnectionOptions): Audio {
  // Always both ways: the native side drops what its own direction forbids, and hold may change it.
  const audio = new Audio(mid, "SendRecv");
  for (const [encoding, type] of formats) {
    audio.addAudioCodec(type, rtpmapOf(encoding, remote.audio.opus ?? false));
  }
  audio.addSSRC(stream.ssrc, stream.cname);
  return audio;
}

/** What the native side is given: written by us from what we understood, and only our section. */
function remoteSdp(session: Session<WebrtcAudio>, identity: Identity | undefined): string {
  const audio: WebrtcAudio = { ...session.audio, direction: "sendrecv" };
  const sdp = writeSdp({ ...session, bundled: true, before: [], after: [], audio });
  // Who offered controls ICE (RFC 8445 §6.1.1); who answers does, where the other side is lite.
  return identity === undefined ? sdp : sdp.replace("t=0 0\r\n", "$&a=ice-lite\r\n");
}

function watchStates(native: PeerConnection, track: Track) {
  const gathered = Promise.withResolvers<void>();
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<void>();
  connected.promise.catch(() => {});
  let closing = false;
  let open = false;

  native.onGatheringStateChange((state) => {
    if (state === "complete") gathered.resolve();
  });
  native.onStateChange((state) => {
    if (state === "closed") closed.resolve();
    if (closing || (state !== "failed" && state !== "closed")) return;
    connected.reject(new Error("Cannot connect media: ICE or DTLS failed"));
    lost.resolve("ICE or DTLS failed");
  });
  // The connection says "connected" a moment before its track takes packets.
  track.onOpen(() => {
    open = true;
    connected.resolve();
  });
  // Without this callback the native track keeps the process alive after its end.
  track.onClosed(() => {
    open = false;
  });
  return {
    gathered: gathered.promise,
    connected: connected.promise,
    lost: lost.promise,
    closed: closed.promise,
    /** To ask the native side for each packet would cost more. */
    isOpen: () => open,
    close() {
      closing = true;
      connected.reject(new Error("Cannot connect media: the leg is closed"));
    },
  };
}
