import { type Certificate, keptCertificate, newCertificate } from "./certificate.ts";
import { candidatesOf } from "./host_candidates.ts";
import type { IceCredentials } from "./ice_credentials.ts";
import { ofKind } from "../sdp/parse_sdp.ts";
import type { Datagrams } from "../rtp/rtp_sockets.ts";
import {
  type Formats,
  isIceRestart,
  isSamePeer,
  OUR_FORMATS,
  OUR_MID,
  refusal,
  type Session,
  type WebrtcAudio,
} from "../sdp/sdp.ts";
import { type Clock, systemClock } from "../base/ticker.ts";
import { newStream, type Peer, type Transport } from "../sdp/transport.ts";
import { connectWebrtc, type WebrtcConnection } from "./connection.ts";
import { NAME_CHARACTERS, type WebrtcSockets } from "./sockets.ts";

/** WebRTC in this process, by sockets that it ends. */
export function webrtcTransport(sockets: WebrtcSockets, clock = systemClock): Transport {
  const certificate = keptCertificate(clock);
  return {
    kind: "webrtc",
    open: (offer) =>
      openPeer({
        sockets,
        clock,
        certificate: certificate(),
        mid: offer?.audio.mid ?? OUR_MID,
        formats: offer?.audio.formats ?? OUR_FORMATS,
        ...(offer && { offer }),
      }),
    close: sockets.close,
  };
}

/** What one peer is opened with. */
export interface PeerOptions {
  sockets: WebrtcSockets;
  mid: string;
  formats: Formats;
  /** The peer's offer; without it ours goes first. */
  offer?: Session;
  /** Ours; one that no other has unless given. */
  certificate?: Certificate;
  /** The time of the machine unless given. */
  clock?: Clock;
}

/** Opens ICE, DTLS and SRTP towards one peer; rejects when its offer or a socket cannot be had. */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  const { sockets, mid, formats, certificate = newCertificate(), clock = systemClock } = options;
  const offer = options.offer && ofKind("webrtc", options.offer).audio;
  const ufrag = randomText(NAME_CHARACTERS);
  const socket = await sockets.open(ufrag);
  const local: WebrtcAudio = {
    kind: "webrtc",
    mid,
    direction: "sendrecv",
    formats,
    // Who answers begins, unless the other wants to (RFC 5763 §5).
    setup: offer === undefined ? "actpass" : offer.setup === "active" ? "passive" : "active",
    ufrag,
    password: randomText(24),
    fingerprint: certificate.fingerprint,
    candidates: candidatesOf({
      bindAddress: sockets.bindAddress,
      port: socket.port,
      machineAddress: socket.machineAddress,
      publicAddress: sockets.publicAddress,
    }),
  };
  const offered = offer === undefined;
  const connect: Connect = (remote, onPacket) =>
    connectWebrtc({ socket, certificate, local, remote, offered, clock, onPacket });
  return createPeer(local, socket, connect, offer);
}

type Connect = (remote: WebrtcAudio, onPacket: (packet: Uint8Array) => void) => WebrtcConnection;

/** What comes before our offer is answered is dropped. */
function createPeer(
  local: WebrtcAudio,
  socket: Datagrams,
  connect: Connect,
  offer: WebrtcAudio | undefined,
): Peer {
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  connected.promise.catch(() => {});
  let connection: WebrtcConnection | undefined;
  let remote = offer;
  let session = ourSession(local);
  let closed: Promise<void> | undefined;
  /** Whether nobody else may answer any more. */
  let isFinal = offer !== undefined;
  /** Why who was heard early is gone. */
  let lostBefore: string | undefined;
  const lose = (why: string) => {
    connected.reject(new Error(`Cannot connect media: ${why}`));
    lost.resolve(why);
  };
  const begin = (audio: WebrtcAudio) => {
    remote = audio;
    lostBefore = undefined;
    const begun = connection = connect(audio, (packet) => peer.onPacket?.(packet));
    begun.connected.then(connected.resolve, () => {}); // Why it failed, `lost` tells.
    void begun.lost.then((why) => {
      if (begun !== connection) return;
      if (isFinal) lose(why);
      else lostBefore = why;
    });
  };
  const peer: Peer = {
    local: session,
    stream: newStream(),
    connected: connected.promise,
    lost: lost.promise,
    vanishesSilently: false,
    onPacket: undefined,
    accept(answer, isEarly = false) {
      if (isFinal) {
        const why = offer === undefined ? "there is one" : "the offer was the peer's";
        throw new Error(`Cannot take an answer: ${why}`);
      }
      if (closed !== undefined) throw new Error("Cannot take an answer: the leg is closed");
      const { audio } = ofKind("webrtc", answer);
      if (audio.setup === "actpass") throw refusal(`its setup is "actpass"`);
      isFinal = !isEarly;
      if (connection === undefined || !isSamePeer(remote!, audio)) {
        connection?.leave();
        begin(audio);
      } else if (isFinal && lostBefore !== undefined) lose(lostBefore);
    },
    // The directions are ours to keep, and DTLS and SRTP go on as they are.
    change(next) {
      const { audio } = ofKind("webrtc", next);
      if (remote !== undefined && !isIceRestart(remote, audio)) return session;
      remote = audio;
      const names = anotherName(local);
      session = { ...session, audio: { ...local, ...names } };
      connection?.restart(names, audio);
      return session;
    },
    send: (packet) => connection?.send(packet),
    close() {
      connected.reject(new Error("Cannot connect media: the leg is closed"));
      return closed ??= connection?.close() ?? socket.close();
    },
  };
  if (offer !== undefined) begin(offer);
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

/** Other credentials of a side, after a restart; its name on a shared port stays. */
const anotherName = ({ ufrag }: WebrtcAudio): IceCredentials => ({
  ufrag: ufrag.slice(0, NAME_CHARACTERS) + randomText(8),
  password: randomText(24),
});

/** Characters of ICE, 6 bits of chance each (RFC 8445 §5.3 wants 24 and 128 in all). */
function randomText(length: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
}
