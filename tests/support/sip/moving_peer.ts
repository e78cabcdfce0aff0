import { candidatesOf } from "../../../sip/media/webrtc/host_candidates.ts";
import { newCertificate } from "../../../sip/media/webrtc/certificate.ts";
import { connectWebrtc, type WebrtcConnection } from "../../../sip/media/webrtc/connection.ts";
import { ofKind, parseSdp } from "../../../sip/media/sdp/parse_sdp.ts";
import type { MediaEngine } from "../../../sip/media/base/port.ts";
import type { Datagrams } from "../../../sip/media/rtp/rtp_sockets.ts";
import { OUR_FORMATS, type Session, type WebrtcAudio } from "../../../sip/media/sdp/sdp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { newStream } from "../../../sip/media/sdp/transport.ts";
import { ownSockets } from "../../../sip/media/webrtc/sockets.ts";
import { writeSdp } from "../../../sip/media/sdp/write_sdp.ts";
import { type BarePeer, type RtpPeer, rtpPeer } from "../media/rtp_peer.ts";

/** A WebRTC peer that changes its network, and restarts ICE by that (RFC 8445 §9). */
export interface MovingPeer extends RtpPeer {
  /** Is at another place from now on, where only what it checks itself finds it. */
  move(): Promise<void>;
  /** Restarts ICE by an offer from where it is; resolves with the leg's answer, taken. */
  restartIce(changes?: Partial<WebrtcAudio>): Promise<WebrtcAudio>;
}

const bindAddress = "127.0.0.1";
const places = ownSockets(bindAddress);
const words = () => crypto.randomUUID().replaceAll("-", "");
const names = () => ({ ufrag: words().slice(0, 8), password: words() });

/** A peer that is connected with a leg of the engine: it called, or was called. */
export async function connectMovingPeer(
  engine: MediaEngine,
  how: "calling" | "called",
): Promise<MovingPeer> {
  const place = await movingSocket();
  const certificate = newCertificate();
  const called = how === "called" ? await engine.offer() : undefined;
  const local: WebrtcAudio = {
    kind: "webrtc",
    mid: "0",
    direction: "sendrecv",
    formats: OUR_FORMATS,
    setup: called === undefined ? "actpass" : "active",
    ...names(),
    fingerprint: certificate.fingerprint,
    candidates: candidatesOf({ bindAddress, port: place.port }),
  };
  const said = (audio: WebrtcAudio) => writeSdp({ ...session, audio });
  const leg = called ?? await engine.answer(said(local));
  const remote = audioOf(leg.localSdp);
  const peer: BarePeer = {
    local: { ...session, audio: local },
    stream: newStream(),
    onPacket: undefined,
    send: (packet) => connection.send(packet),
    close: () => connection.close(),
  };
  const connection: WebrtcConnection = connectWebrtc({
    socket: place,
    certificate,
    local,
    remote,
    offered: called === undefined,
    clock: systemClock,
    onPacket: (packet) => peer.onPacket?.(packet),
  });
  if (called !== undefined) await called.accept(said(local));
  await Promise.all([leg.connected, connection.connected]);
  return {
    ...rtpPeer(leg, peer),
    move: place.move,
    async restartIce(changes = {}) {
      const ours = { ...names(), candidates: candidatesOf({ bindAddress, port: place.port }) };
      const answer = await leg.reanswer(said({ ...local, setup: "actpass", ...ours, ...changes }));
      connection.restart(ours, audioOf(answer));
      return audioOf(answer);
    },
  };
}

const session: Omit<Session, "audio"> = {
  id: "1",
  version: 0,
  bundled: true,
  protocol: "UDP/TLS/RTP/SAVPF",
  before: [],
  after: [],
};

export const audioOf = (sdp: string): WebrtcAudio => ofKind("webrtc", parseSdp(sdp)).audio;

async function movingSocket(): Promise<Datagrams & { move(): Promise<void> }> {
  let inner = await places.open("");
  const outer = {
    get port() {
      return inner.port;
    },
    onMessage: (() => {}) as Datagrams["onMessage"],
    send: (...packet: Parameters<Datagrams["send"]>) => inner.send(...packet),
    close: () => inner.close(),
    async move() {
      await inner.close();
      inner = await places.open("");
      listen();
    },
  };
  const listen = () => inner.onMessage = (bytes, from) => outer.onMessage(bytes, from);
  listen();
  return outer;
}
