import { assertBindable } from "./bindable.ts";
import { connectNative } from "./native_connection.ts";
import { openMediaPort } from "./media_port.ts";
import { offerWebrtc } from "./offered_peer.ts";
import { ofKind, parseSdp } from "./parse_sdp.ts";
import { type Formats, OUR_FORMATS, OUR_MID, type Session } from "./sdp.ts";
import { newStream, type Peer, type Transport } from "./transport.ts";

/** Where the WebRTC of this process has its sockets. */
export interface WebrtcOptions {
  /** Where sockets are bound; 0.0.0.0 offers all addresses that the machine has. */
  bindAddress: string;
  /** One UDP port for all peers; each has its own unless given. */
  port?: number;
}

/** WebRTC in this process; throws when its port is not to be had. */
export function webrtcTransport(options: WebrtcOptions): Transport {
  const { bindAddress, port } = options;
  const close = port === undefined ? undefined : openMediaPort(bindAddress, port);
  return {
    kind: "webrtc",
    open: (offer) =>
      openPeer({
        ...options,
        mid: offer?.audio.mid ?? OUR_MID,
        formats: offer?.audio.formats ?? OUR_FORMATS,
        ...(offer && { offer }),
      }),
    ...close && { close },
  };
}

/** What one peer is opened with. */
export interface PeerOptions extends WebrtcOptions {
  mid: string;
  formats: Formats;
  /** The peer's offer; without it ours goes first. */
  offer?: Session;
}

/** Opens ICE, DTLS and SRTP towards one peer; throws when its offer cannot be taken. */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  // A shared port is bound already.
  if (options.port === undefined) await assertBindable(options.bindAddress);
  const { offer } = options;
  return offer === undefined ? offerWebrtc(options) : await answerWebrtc({ ...options, offer });
}

async function answerWebrtc({ offer, ...options }: PeerOptions & { offer: Session }) {
  const { audio, ...session } = ofKind("webrtc", offer);
  const remote = { ...session, audio: { ...audio, mid: options.mid } };
  const stream = newStream();
  const connection = connectNative(
    { ...options, stream, remote },
    (packet) => peer.onPacket?.(packet),
  );
  const { connected, lost, send, close } = connection;
  const local = { ...parseSdp(await connection.described), bundled: true };
  const peer: Peer = {
    local,
    stream,
    connected,
    lost,
    vanishesSilently: false,
    onPacket: undefined,
    accept() {
      throw new Error("Cannot take an answer: the offer was the peer's");
    },
    // The directions are ours to keep; the native side goes on as it is.
    change: () => {},
    send,
    close,
  };
  return peer;
}
