import type { Certificate } from "./certificate.ts";
import { type Dtls, startDtls } from "./dtls.ts";
import type { IceCredentials } from "./ice_credentials.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { newRestartableIce } from "./restartable_ice.ts";
import type { Datagrams } from "../rtp/rtp_sockets.ts";
import type { WebrtcAudio } from "../sdp/sdp.ts";
import { newSrtp, type Srtp } from "../srtp/srtp.ts";
import type { Clock } from "../base/ticker.ts";

export interface ConnectionOptions {
  /** Which it closes. */
  socket: Datagrams;
  certificate: Certificate;
  /** What we said of ourselves, and what the peer said of itself. */
  local: WebrtcAudio;
  remote: WebrtcAudio;
  /** Whether ours was the offer. */
  offered: boolean;
  clock: Clock;
  /** Called with each packet of the peer, RTP or RTCP, whose bytes are lent until it returns. */
  onPacket(packet: Uint8Array): void;
}

/** ICE, DTLS and SRTP with one peer, on one socket. */
export interface WebrtcConnection {
  /** Resolves when packets can flow; rejects when they never will, also by `close`. */
  readonly connected: Promise<void>;
  /** Resolves once, with the reason, when the peer is gone without `close`. */
  readonly lost: Promise<string>;
  /** Sends an RTP or RTCP packet, which is lent until it returns, or drops it while there is no way. */
  send(packet: Uint8Array<ArrayBuffer>): void;
  /** Begins ICE anew, by names of ours and what the peer said; DTLS and SRTP go on (RFC 8842 §5). */
  restart(local: IceCredentials, remote: WebrtcAudio): void;
  /** Tells the peer, and calls nothing back any more; the socket is left to another. */
  leave(): void;
  /** The same, and closes the socket; resolves when nothing is held. */
  close(): Promise<void>;
}

/** Begins at once. */
export function connectWebrtc(options: ConnectionOptions): WebrtcConnection {
  const { socket, local, remote, offered, clock, onPacket } = options;
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  connected.promise.catch(() => {});
  let srtp: Srtp | undefined;
  let dtls: Dtls | undefined;
  let from: Address | undefined;
  let ended = false;
  let closed: Promise<void> | undefined;
  let cancel = () => {};

  const stop = () => {
    ended = true;
    srtp = undefined;
    cancel();
    dtls?.close();
    ice.close();
  };
  const leave = () => {
    if (!ended) stop();
  };
  const fail = (why: string) => {
    if (ended) return;
    stop();
    connected.reject(new Error(`Cannot connect media: ${why}`));
    lost.resolve(why);
  };
  const begin = () => {
    if (ended) return;
    const role = isClient(local, remote) ? "client" : "server";
    dtls = startDtls({
      role,
      certificate: options.certificate,
      fingerprint: remote.fingerprint,
      clock,
      send(datagram) {
        const to = ice.selected ?? from;
        if (to !== undefined) socket.send(datagram, to);
      },
      onKeys(keys) {
        srtp = newSrtp(keys);
        cancel();
        if (ice.selected !== undefined) connected.resolve();
      },
      onEnd: fail,
    });
  };
  const receive = (bytes: Uint8Array, sender: Address) => {
    const [first = 0] = bytes;
    // RFC 7983 §7.
    if (first <= 3) return ice.onMessage(bytes, sender);
    if (!ice.knows(sender)) return;
    if (first >= 128 && first <= 191) {
      const packet = srtp?.unprotect(bytes);
      if (packet !== undefined) onPacket(packet);
    } else if (first >= 20 && first <= 63) {
      from = sender;
      dtls?.receive(bytes);
    }
  };

  const ice = newRestartableIce({
    local,
    remote: iceOf(remote),
    // Who offered controls, but for a lite peer, which cannot (RFC 8445 §6.1.1).
    controlling: offered || remote.lite === true,
    send: socket.send,
    clock,
  });
  socket.onMessage = receive;
  // A server waits from now on: the peer may be there before our own checks are done.
  if (!isClient(local, remote)) begin();
  ice.connected.then(() => {
    if (ended) return;
    // DTLS may be done on a way of the peer's before we know that it is ours too.
    if (srtp !== undefined) return connected.resolve();
    cancel = clock.after(mediaLimits.dtlsMs, () => fail("DTLS takes too long"));
    if (dtls === undefined) begin();
  });
  void ice.lost.then(fail);

  return {
    connected: connected.promise,
    lost: lost.promise,
    send(packet) {
      const to = ice.selected;
      const bytes = to && srtp?.protect(packet);
      if (bytes !== undefined) socket.send(bytes, to!);
    },
    restart(local, remote) {
      if (!ended) ice.restart({ local, remote: iceOf(remote) });
    },
    leave,
    close() {
      connected.reject(new Error("Cannot connect media: the leg is closed"));
      leave();
      return closed ??= socket.close();
    },
  };
}

const iceOf = ({ ufrag, password, candidates, lite = false }: WebrtcAudio) => ({
  ufrag,
  password,
  candidates,
  lite,
});

/** Whether we begin DTLS, as the answer says (RFC 8842 §5). */
const isClient = (local: WebrtcAudio, remote: WebrtcAudio): boolean =>
  local.setup === "active" || remote.setup === "passive";
