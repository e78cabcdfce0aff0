/**
 * WebRTC without a library, in the thread of the engine. By libdatachannel, whose threads each packet
 * crosses, a join took 0.224 % of a core a leg; here it takes 0.136 % on the same busy machine. The npm
 * packages with DTLS (werift-dtls 0.5.8, werift 0.25.2) check neither a peer's signatures nor its
 * Finished, so that the fingerprint in the SDP would prove nothing.
 *
 * DTLS 1.2 has the one suite, curve and SRTP profile that every peer must have (RFC 8827 §6.5), on the
 * primitives of `node:crypto`. OpenSSL, Chromium, Firefox, libdatachannel, pion and aiortc are its peers
 * in the tests.
 *
 * A proxy that forks lets one browser send early media and another one answer: ICE, DTLS and SRTP then
 * begin anew with the browser that answers, on our side of the same offer.
 */
import { LEG_CLOSED } from "../base/port.ts";
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

/** WebRTC in this process. The transport closes the sockets when it is closed. */
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

export interface PeerOptions {
  sockets: WebrtcSockets;
  mid: string;
  formats: Formats;
  /** The peer's offer; without it we send the offer. */
  offer?: Session;
  /** Ours; by default a new one. */
  certificate?: Certificate;
  /** By default the clock of the machine. */
  clock?: Clock;
}

/** Opens ICE, DTLS and SRTP with one peer; rejects an unusable offer, and when no socket is free. */
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
    // The answerer is the DTLS client, unless the offerer insists on it (RFC 5763 §5).
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
  return createPeer({ local, socket, connect, offer });
}

type Connect = (remote: WebrtcAudio, onPacket: (packet: Uint8Array) => void) => WebrtcConnection;

interface PeerParts {
  local: WebrtcAudio;
  socket: Datagrams;
  connect: Connect;
  offer: WebrtcAudio | undefined;
}

interface State extends PeerParts {
  readonly peer: Peer;
  readonly connected: PromiseWithResolvers<void>;
  readonly lost: PromiseWithResolvers<string>;
  connection: WebrtcConnection | undefined;
  /** Latest side of the peer. */
  remote: WebrtcAudio | undefined;
  session: Session<WebrtcAudio>;
  closed: Promise<void> | undefined;
  /** True where no other answer can follow. */
  isFinal: boolean;
  /** Why the connection to the peer of an early answer was lost. */
  lostEarly: string | undefined;
}

/** Packets that arrive before our offer is answered are dropped. */
function createPeer(parts: PeerParts): Peer {
  const { local, socket, offer } = parts;
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  connected.promise.catch(() => {});
  const session = ourSession(local);
  const peer: Peer = {
    local: session,
    stream: newStream(),
    connected: connected.promise,
    lost: lost.promise,
    vanishesSilently: false,
    onPacket: undefined,
    accept: (answer, isEarly = false) => accept(state, answer, isEarly),
    change: (offer) => change(state, offer),
    send: (packet) => state.connection?.send(packet),
    close() {
      connected.reject(LEG_CLOSED);
      return state.closed ??= state.connection?.close() ?? socket.close();
    },
  };
  const state: State = {
    ...parts,
    peer,
    connected,
    lost,
    connection: undefined,
    remote: offer,
    session,
    closed: undefined,
    isFinal: offer !== undefined,
    lostEarly: undefined,
  };
  if (offer !== undefined) begin(state, offer);
  return peer;
}

function begin(state: State, remote: WebrtcAudio): void {
  state.remote = remote;
  state.lostEarly = undefined;
  const connection = state.connect(remote, (packet) => state.peer.onPacket?.(packet));
  state.connection = connection;
  connection.connected.then(state.connected.resolve, () => {}); // `lost` gives the reason.
  void connection.lost.then((why) => {
    if (connection !== state.connection) return;
    if (state.isFinal) lose(state, why);
    else state.lostEarly = why;
  });
}

function lose({ connected, lost }: State, why: string): void {
  connected.reject(new Error(`Cannot connect media: ${why}`));
  lost.resolve(why);
}

function accept(state: State, answer: Session, isEarly: boolean): void {
  if (state.isFinal) {
    const why = state.offer === undefined ? "there is one" : "the offer was the peer's";
    throw new Error(`Cannot take an answer: ${why}`);
  }
  if (state.closed !== undefined) throw new Error("Cannot take an answer: the leg is closed");
  const { audio } = ofKind("webrtc", answer);
  if (audio.setup === "actpass") throw refusal(`its setup is "actpass"`);
  state.isFinal = !isEarly;
  const { connection, remote } = state;
  if (connection === undefined || remote === undefined || !isSamePeer(remote, audio)) {
    connection?.leave();
    begin(state, audio);
  } else if (state.isFinal && state.lostEarly !== undefined) lose(state, state.lostEarly);
}

/** Restarts ICE where the offer does (RFC 8839 §4.4.1.1.1); DTLS and SRTP continue. */
function change(state: State, offer: Session): Session {
  const { audio } = ofKind("webrtc", offer);
  const { local, remote, session } = state;
  if (remote !== undefined && !isIceRestart(remote, audio)) return session;
  state.remote = audio;
  const credentials = newCredentials(local);
  state.session = { ...session, audio: { ...local, ...credentials } };
  state.connection?.restart(credentials, audio);
  return state.session;
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

/** Credentials for an ICE restart. The prefix that identifies the peer on a shared port stays. */
const newCredentials = ({ ufrag }: WebrtcAudio): IceCredentials => ({
  ufrag: ufrag.slice(0, NAME_CHARACTERS) + randomText(8),
  password: randomText(24),
});

/** Random ICE characters of 6 bits each (RFC 8445 §5.3 requires at least 24 and 128 bits in all). */
function randomText(length: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
}
