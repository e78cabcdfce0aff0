import { Buffer } from "node:buffer";
import { Audio, PeerConnection, type Track } from "node-datachannel";
import { assertBindable } from "./bindable.ts";
import { parseSdp } from "./parse_sdp.ts";
import { type Formats, OUR_FORMATS, OUR_MID, type Session } from "./sdp.ts";
import { newStream, type Peer, type Transport } from "./transport.ts";
import { type Stream, writeWebrtcAudio } from "./write_sdp.ts";

/** WebRTC; sockets are bound to an address, of which 0.0.0.0 offers all that the machine has. */
export const webrtcTransport = ({ bindAddress }: { bindAddress: string }): Transport => ({
  kind: "webrtc",
  open(offer) {
    const mid = offer?.audio.mid ?? OUR_MID;
    const formats = offer?.audio.formats ?? OUR_FORMATS;
    return openPeer({ bindAddress, mid, formats, ...(offer && { offer }) });
  },
});

export interface PeerOptions {
  bindAddress: string;
  mid: string;
  formats: Formats;
  /** The peer's offer; without it ours goes first. */
  offer?: Session;
}

/**
 * Opens ICE, DTLS and SRTP towards one peer, by node-datachannel, and gathers the candidates; throws
 * when the offer cannot be taken. The native library serves one isolate in a process: with two
 * (Workers) the process ends.
 */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  await assertBindable(options.bindAddress);
  const native = new PeerConnection("switchboard", {
    iceServers: [],
    bindAddress: options.bindAddress,
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  });
  const stream = newStream();
  const track = native.addTrack(audioTrack(options, stream));
  const states = watchStates(native, track);
  const close = () => {
    states.close();
    track.close();
    native.close();
    return states.closed;
  };
  try {
    if (options.offer !== undefined) {
      native.setRemoteDescription(writeWebrtcAudio(options.offer), "offer");
    }
    native.setLocalDescription(options.offer === undefined ? "offer" : "answer");
    await states.gathered;
    const local = { ...parseSdp(native.localDescription()?.sdp ?? ""), bundled: true };
    return withTrack({ native, track, states, local, stream, close });
  } catch (cause) {
    void close();
    throw cause;
  }
}

function audioTrack({ mid, formats }: PeerOptions, { ssrc, cname }: Stream): Audio {
  // Always both ways: the native side drops what its own direction forbids, and hold may change it.
  const audio = new Audio(mid, "SendRecv");
  for (const [encoding, type] of formats) audio.addAudioCodec(type, `${encoding}/8000`);
  audio.addSSRC(ssrc, cname);
  return audio;
}

type States = ReturnType<typeof watchStates>;

function watchStates(native: PeerConnection, track: Track) {
  const gathered = Promise.withResolvers<void>();
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
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
    lost.resolve("ICE or DTLS failed");
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
  stream: Stream;
  close: () => Promise<void>;
}

function withTrack({ native, track, states, local, stream, close }: Opened): Peer {
  let closed: Promise<void> | undefined;
  const peer: Peer = {
    local,
    stream,
    connected: states.connected,
    lost: states.lost,
    vanishesSilently: false,
    onPacket: undefined,
    accept: (answer) => native.setRemoteDescription(writeWebrtcAudio(answer), "answer"),
    // The directions are ours to keep; the native side goes on as it is.
    change: () => {},
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
