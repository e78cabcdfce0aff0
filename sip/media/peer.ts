import { Buffer } from "node:buffer";
import { Audio, PeerConnection, type Track } from "node-datachannel";
import { assertBindable } from "./bindable.ts";
import { type Formats, parseSdp, type Session } from "./sdp.ts";
import { writeSdp } from "./write_sdp.ts";

/**
 * ICE, DTLS and SRTP towards one peer, by node-datachannel: RTP goes in and out as bytes. The
 * native library serves one isolate in a process: with two (Workers) the process ends.
 */
export interface Peer {
  /** Our side of the session with all candidates gathered. */
  readonly local: Session;
  /** Source of the stream we send. */
  readonly ssrc: number;
  /** Takes the answer, when ours was the offer. */
  accept(answer: Session): void;
  /** Resolves when RTP can flow; rejects when it never will, also by `close`. */
  readonly connected: Promise<void>;
  /** Resolves once, when the peer is gone without `close`. */
  readonly lost: Promise<void>;
  /** Sends a packet, or drops it as a network would. */
  send(packet: Uint8Array<ArrayBuffer>): void;
  onPacket: ((packet: Uint8Array) => void) | undefined;
  /** Resolves when the native side has let go. Nothing is called back from now on. */
  close(): Promise<void>;
}

export interface PeerOptions {
  bindAddress: string;
  mid: string;
  formats: Formats;
  /** The peer's offer; without it ours goes first. */
  offer?: Session;
}

/** Opens a transport and gathers its candidates; throws when the offer cannot be taken. */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  await assertBindable(options.bindAddress);
  const native = new PeerConnection("switchboard", {
    iceServers: [],
    bindAddress: options.bindAddress,
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  });
  const ssrc = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const track = native.addTrack(audioTrack(options, ssrc));
  const states = watchStates(native, track);
  const close = () => {
    states.close();
    track.close();
    native.close();
    return states.closed;
  };
  try {
    if (options.offer !== undefined) native.setRemoteDescription(remoteSdp(options.offer), "offer");
    native.setLocalDescription(options.offer === undefined ? "offer" : "answer");
    await states.gathered;
    const local = parseSdp(native.localDescription()?.sdp ?? "");
    return withTrack({ native, track, states, local, ssrc, close });
  } catch (cause) {
    void close();
    throw cause;
  }
}

function audioTrack({ mid, formats }: PeerOptions, ssrc: number): Audio {
  // Always both ways: the native side drops what its own direction forbids, and hold may change it.
  const audio = new Audio(mid, "SendRecv");
  for (const [encoding, type] of formats) audio.addAudioCodec(type, `${encoding}/8000`);
  audio.addSSRC(ssrc, "switchboard");
  return audio;
}

/** What the native side is given: written by us from what we understood, and only our section. */
const remoteSdp = (session: Session) =>
  writeSdp({
    ...session,
    bundled: true,
    before: [],
    after: [],
    audio: { ...session.audio, direction: "sendrecv" },
  });

type States = ReturnType<typeof watchStates>;

function watchStates(native: PeerConnection, track: Track) {
  const gathered = Promise.withResolvers<void>();
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  connected.promise.catch(() => {});
  let closing = false;

  native.onGatheringStateChange((state) => {
    if (state === "complete") gathered.resolve();
  });
  native.onStateChange((state) => {
    if (state === "closed") closed.resolve();
    if (closing || (state !== "failed" && state !== "closed")) return;
    connected.reject(new Error("Cannot connect media: ICE or DTLS failed"));
    lost.resolve();
  });
  // The connection says "connected" a moment before its track takes packets.
  track.onOpen(() => connected.resolve());
  // Without this callback the native track keeps the process alive after its end.
  track.onClosed(() => {});
  return {
    gathered: gathered.promise,
    connected: connected.promise,
    lost: lost.promise,
    closed: closed.promise,
    close() {
      closing = true;
      connected.reject(new Error("Cannot connect media: the leg is closed"));
    },
  };
}

interface Opened {
  native: PeerConnection;
  track: Track;
  states: States;
  local: Session;
  ssrc: number;
  close: () => Promise<void>;
}

function withTrack({ native, track, states, local, ssrc, close }: Opened): Peer {
  let closed: Promise<void> | undefined;
  const peer: Peer = {
    local,
    ssrc,
    connected: states.connected,
    lost: states.lost,
    onPacket: undefined,
    accept: (answer) => native.setRemoteDescription(remoteSdp(answer), "answer"),
    send(packet) {
      if (closed !== undefined || !track.isOpen()) return;
      try {
        track.sendMessageBinary(Buffer.from(packet.buffer));
      } catch {
        // The transport ended in between, or SRTP refuses a packet that is too late.
      }
    },
    close: () => closed ??= close(),
  };
  track.onMessage((packet) => {
    if (closed === undefined) peer.onPacket?.(packet);
  });
  return peer;
}
