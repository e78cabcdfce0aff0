import { LEG_CLOSED } from "../base/port.ts";
import type { Certificate } from "./certificate.ts";
import { type Dtls, startDtls } from "./dtls.ts";
import type { IceCredentials } from "./ice_credentials.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { newRestartableIce, type RestartableIce } from "./restartable_ice.ts";
import type { Datagrams } from "../rtp/rtp_sockets.ts";
import type { WebrtcAudio } from "../sdp/sdp.ts";
import { newSrtp, type Srtp } from "../srtp/srtp.ts";
import type { Clock } from "../base/ticker.ts";

export interface ConnectionOptions {
  /** Closed with the connection. */
  socket: Datagrams;
  certificate: Certificate;
  /** Our audio section of the SDP, and that of the peer. */
  local: WebrtcAudio;
  remote: WebrtcAudio;
  /** True where we sent the offer. */
  offered: boolean;
  clock: Clock;
  /** Called with each RTP or RTCP packet of the peer, whose bytes are lent until it returns. */
  onPacket(packet: Uint8Array): void;
}

/** ICE, DTLS and SRTP with one peer, on one socket. */
export interface WebrtcConnection {
  /** Resolves when packets can flow; rejects when ICE or DTLS fails, and on `close`. */
  readonly connected: Promise<void>;
  /** Resolves once, with the reason, when the connection ends without `close`. */
  readonly lost: Promise<string>;
  /** Sends an RTP or RTCP packet, lent until it returns. Drops it until connected. */
  send(packet: Uint8Array<ArrayBuffer>): void;
  /** Restarts ICE with new credentials of both sides; DTLS and SRTP continue (RFC 8842 §5). */
  restart(local: IceCredentials, remote: WebrtcAudio): void;
  /** Ends DTLS and ICE without further callbacks, and leaves the socket open for another peer. */
  leave(): void;
  /** Does the same and closes the socket; resolves when it is closed. */
  close(): Promise<void>;
}

interface State extends ConnectionOptions {
  readonly ice: RestartableIce;
  readonly connected: PromiseWithResolvers<void>;
  readonly lost: PromiseWithResolvers<string>;
  srtp: Srtp | undefined;
  dtls: Dtls | undefined;
  /** The newest source of a DTLS datagram. */
  from: Address | undefined;
  ended: boolean;
  closed: Promise<void> | undefined;
  cancelTimeout(): void;
}

/** Starts ICE at once, and DTLS as soon as its role allows. */
export function connectWebrtc(options: ConnectionOptions): WebrtcConnection {
  const { socket, local, remote, offered, clock } = options;
  const state: State = {
    ...options,
    ice: newRestartableIce({
      local,
      remote: iceOf(remote),
      // The offerer controls, unless its peer is lite and cannot (RFC 8445 §6.1.1).
      controlling: offered || remote.lite === true,
      send: socket.send,
      clock,
    }),
    connected: Promise.withResolvers(),
    lost: Promise.withResolvers(),
    srtp: undefined,
    dtls: undefined,
    from: undefined,
    ended: false,
    closed: undefined,
    cancelTimeout() {},
  };
  const { ice, connected, lost } = state;
  connected.promise.catch(() => {});
  socket.onMessage = (bytes, sender) => receive(state, bytes, sender);
  // A server listens from the start: the peer's checks may succeed before ours do.
  if (!isClient(local, remote)) beginDtls(state);
  ice.connected.then(() => onIceConnected(state));
  void ice.lost.then((why) => fail(state, why));
  return {
    connected: connected.promise,
    lost: lost.promise,
    send(packet) {
      const to = ice.selected();
      if (to === undefined) return;
      const bytes = state.srtp?.protect(packet);
      if (bytes !== undefined) socket.send(bytes, to);
    },
    restart(local, remote) {
      if (!state.ended) ice.restart({ local, remote: iceOf(remote) });
    },
    leave: () => stop(state),
    close() {
      connected.reject(LEG_CLOSED);
      stop(state);
      return state.closed ??= socket.close();
    },
  };
}

function onIceConnected(state: State): void {
  if (state.ended) return;
  // DTLS may be done on a pair that the peer selected before we selected one.
  if (state.srtp !== undefined) return state.connected.resolve();
  const expire = () => fail(state, "DTLS takes too long");
  state.cancelTimeout = state.clock.after(mediaLimits.dtlsMs, expire);
  if (state.dtls === undefined) beginDtls(state);
}

function beginDtls(state: State): void {
  if (state.ended) return;
  const { ice, socket, local, remote, certificate, clock } = state;
  state.dtls = startDtls({
    role: isClient(local, remote) ? "client" : "server",
    certificate,
    fingerprint: remote.fingerprint,
    clock,
    send(datagram) {
      const to = ice.selected() ?? state.from;
      if (to !== undefined) socket.send(datagram, to);
    },
    onKeys(keys) {
      state.srtp = newSrtp(keys);
      state.cancelTimeout();
      if (ice.selected() !== undefined) state.connected.resolve();
    },
    onEnd: (why) => fail(state, why),
  });
}

/** Demultiplexes STUN, DTLS and SRTP by the first byte (RFC 7983 §7). */
function receive(state: State, bytes: Uint8Array, sender: Address): void {
  const { ice } = state;
  const [first = 0] = bytes;
  if (first <= 3) return ice.onMessage(bytes, sender);
  if (!ice.knows(sender)) return;
  if (first >= 128 && first <= 191) {
    const packet = state.srtp?.unprotect(bytes);
    if (packet !== undefined) state.onPacket(packet);
  } else if (first >= 20 && first <= 63) {
    state.from = sender;
    state.dtls?.receive(bytes);
  }
}

function fail(state: State, why: string): void {
  if (state.ended) return;
  stop(state);
  state.connected.reject(new Error(`Cannot connect media: ${why}`));
  state.lost.resolve(why);
}

function stop(state: State): void {
  if (state.ended) return;
  state.ended = true;
  state.srtp = undefined;
  state.cancelTimeout();
  state.dtls?.close();
  state.ice.close();
}

const iceOf = ({ ufrag, password, candidates, lite = false }: WebrtcAudio) => ({
  ufrag,
  password,
  candidates,
  lite,
});

/** True where we are the DTLS client, which the answer decides (RFC 8842 §5). */
const isClient = (local: WebrtcAudio, remote: WebrtcAudio): boolean =>
  local.setup === "active" || remote.setup === "passive";
