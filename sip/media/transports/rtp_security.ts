import { LEG_CLOSED } from "../base/port.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import {
  acceptedCrypto,
  hasSameKeys,
  isSameMki,
  keysOf,
  newCrypto,
  offeredCrypto,
} from "../sdp/sdes.ts";
import { type CryptoLine, suites } from "../srtp/crypto_suites.ts";
import { refusal, type RtpSecurity } from "../sdp/sdp.ts";
import { systemClock } from "../base/ticker.ts";
import type { Certificate } from "../webrtc/certificate.ts";
import { type Dtls, startDtls } from "../webrtc/dtls.ts";
import { newSrtp, type Srtp, srtpReceiver, srtpSender } from "../srtp/srtp.ts";

/** 0: RTP, and RTCP on the same port. 1: RTCP on a port of its own. */
export type Channel = 0 | 1;

type OfKind<Kind extends RtpSecurity["kind"]> = Extract<RtpSecurity, { kind: Kind }>;

/** Security of the RTP of one peer without ICE. */
export interface Securing<Ours extends RtpSecurity = RtpSecurity> {
  /** Our part of the SDP at present. */
  ours(): Ours;
  /** Takes the peer's part of an offer or an answer; throws `NoCommonCodec` without any change. */
  take(theirs: RtpSecurity | undefined): void;
  /** Resolves when packets can flow. */
  readonly ready: Promise<void>;
  /** Resolves once, with the reason, when packets can no longer flow. */
  readonly lost: Promise<string>;
  /** The packet to send, lent until the next call; undefined before there are keys. */
  protect(packet: Uint8Array, channel: Channel): Uint8Array<ArrayBuffer> | undefined;
  /** The received packet in the clear; undefined if it is not of the peer. */
  unprotect(packet: Uint8Array, channel: Channel): Uint8Array<ArrayBuffer> | undefined;
  /** Takes a DTLS datagram from an address that signalling knows. */
  receive(datagram: Uint8Array, from: Address, channel: Channel): void;
  close(): void;
}

/** Keys in the SDP (RFC 4568). Without an offer of the peer we send the offer. */
export function sdesSecuring(offer: RtpSecurity | undefined): Securing<OfKind<"sdes">> {
  let lines = offer === undefined ? offeredCrypto() : [];
  let sent: CryptoLine | undefined;
  let received: CryptoLine | undefined;
  let sender: Srtp["protect"] | undefined;
  let receiver: Srtp["unprotect"] | undefined;
  const ready = Promise.withResolvers<void>();

  const use = (ours: CryptoLine, theirs: CryptoLine) => {
    // A second context with the same key would restart its indices and use a keystream twice.
    if (sent === undefined || !hasSameKeys(ours, sent)) {
      sender = srtpSender(keysOf(ours)[0], suites[ours.suite]);
    }
    if (received === undefined || !hasSameKeys(theirs, received)) {
      receiver = srtpReceiver(keysOf(theirs), suites[theirs.suite]);
    }
    [sent, received] = [ours, theirs];
    ready.resolve();
  };
  const answer = ([theirs]: readonly CryptoLine[]) => {
    if (theirs === undefined) throw refusal("it has no usable crypto", "transport");
    const { tag, suite, keys: [{ mki }] } = theirs;
    // A peer that names its keys in packets expects the same of ours.
    const ours = sent?.suite === suite && isSameMki(sent.keys[0].mki, mki)
      ? { ...sent, tag }
      : newCrypto(tag, suite, mki);
    lines = [ours];
    use(ours, theirs);
  };
  /** A later offer of the peer, its answer to one of ours, or the answer of another fork. */
  const again = (theirs: CryptoLine[]) => {
    const [first] = theirs;
    const chosen = lines.find(({ tag, suite }) => tag === first?.tag && suite === first.suite);
    if (chosen === undefined || first === undefined) answer(theirs);
    else use(chosen, first);
  };
  return {
    ours: () => ({ kind: "sdes", crypto: lines }),
    take(theirs) {
      if (theirs?.kind !== "sdes") {
        throw refusal("it does not secure its audio with SDES", "transport");
      }
      if (offer !== undefined || sent !== undefined) return again(theirs.crypto);
      // acceptedCrypto() throws where there is no line.
      use(acceptedCrypto(lines, theirs.crypto), theirs.crypto[0]!);
    },
    ready: ready.promise,
    lost: new Promise(() => {}),
    protect: (packet) => sender?.(packet),
    unprotect: (packet) => receiver?.(packet),
    receive() {},
    close() {},
  };
}

/** An offer of both SDES and DTLS; each answer chooses one. */
export function eitherSecuring(options: DtlsSecuringOptions): Securing {
  const [sdes, dtls] = [sdesSecuring(undefined), dtlsSecuring(options)];
  const ready = Promise.race([sdes.ready, dtls.ready]);
  ready.catch(() => {});
  let taken: Securing | undefined;
  return {
    ours: () => taken?.ours() ?? { ...sdes.ours(), ...dtls.ours(), kind: "either" },
    take(theirs) {
      const next = theirs?.kind === "dtls" ? dtls : sdes;
      next.take(theirs);
      if (taken === dtls && next === sdes) dtls.close();
      taken = next;
    },
    ready,
    lost: dtls.lost,
    protect: (packet, channel) => taken?.protect(packet, channel),
    unprotect: (packet, channel) => taken?.unprotect(packet, channel),
    receive: (datagram, from, channel) => taken?.receive(datagram, from, channel),
    close: dtls.close,
  };
}

export interface DtlsSecuringOptions {
  certificate: Certificate;
  offer: RtpSecurity | undefined;
  /** RTP, and RTCP where it has a port of its own: each has an association (RFC 5764 §3). */
  channels: readonly Channel[];
  /** Sends on a channel: to the newest source of its datagrams, else to the address of the SDP. */
  send(datagram: Uint8Array<ArrayBuffer>, channel: Channel, to: Address | undefined): void;
}

/** The DTLS association of one channel. */
interface Association {
  dtls: Dtls | undefined;
  /** The newest source of its datagrams. */
  from: Address | undefined;
  srtp: Srtp | undefined;
  cancelTimeout(): void;
}

interface DtlsState extends DtlsSecuringOptions {
  readonly ready: PromiseWithResolvers<void>;
  readonly lost: PromiseWithResolvers<string>;
  setup: "actpass" | "active" | "passive";
  remote: OfKind<"dtls"> | undefined;
  associations: Map<Channel, Association>;
}

/**
 * Keys by DTLS (RFC 5763, 5764) on the ports of the media. If the peer leaves the choice to us, we
 * are the server: the first datagram of the peer opens its NAT and shows the address to send to.
 */
export function dtlsSecuring(options: DtlsSecuringOptions): Securing<OfKind<"dtls">> {
  const { fingerprint } = options.certificate;
  const state: DtlsState = {
    ...options,
    ready: Promise.withResolvers(),
    lost: Promise.withResolvers(),
    setup: "actpass",
    remote: undefined,
    associations: new Map(),
  };
  const { ready, lost } = state;
  ready.promise.catch(() => {});
  return {
    ours: () => ({ kind: "dtls", fingerprint, setup: state.setup }),
    take: (theirs) => takeDtls(state, theirs),
    ready: ready.promise,
    lost: lost.promise,
    protect: (packet, channel) => state.associations.get(channel)?.srtp?.protect(packet),
    unprotect: (packet, channel) => state.associations.get(channel)?.srtp?.unprotect(packet),
    receive(datagram, from, channel) {
      const association = state.associations.get(channel);
      if (association === undefined) return;
      association.from = from;
      association.dtls?.receive(datagram);
    },
    close() {
      stop(state);
      ready.reject(LEG_CLOSED);
    },
  };
}

/** Starts new associations when the fingerprint is new; the same one changes nothing. */
function takeDtls(state: DtlsState, theirs: RtpSecurity | undefined): void {
  if (theirs?.kind !== "dtls") {
    throw refusal("it does not secure its audio with DTLS", "transport");
  }
  const { offer, remote } = state;
  if (remote?.fingerprint.toUpperCase() === theirs.fingerprint.toUpperCase()) return;
  if (offer === undefined && remote === undefined && theirs.setup === "actpass") {
    throw refusal(`its setup is "actpass"`);
  }
  stop(state);
  state.remote = theirs;
  state.setup = theirs.setup === "passive" ? "active" : "passive";
  for (const channel of state.channels) associate(state, channel, theirs.fingerprint);
}

function associate(state: DtlsState, channel: Channel, fingerprint: string): void {
  const association: Association = {
    dtls: undefined,
    from: undefined,
    srtp: undefined,
    cancelTimeout() {},
  };
  const fail = (why: string) => {
    association.cancelTimeout();
    // A call can continue without RTCP, but not without RTP.
    if (channel === 0 && state.associations.get(0) === association) state.lost.resolve(why);
  };
  state.associations.set(channel, association);
  const expire = () => fail("DTLS takes too long");
  association.cancelTimeout = systemClock.after(mediaLimits.dtlsMs, expire);
  association.dtls = startDtls({
    role: state.setup === "active" ? "client" : "server",
    certificate: state.certificate,
    fingerprint,
    clock: systemClock,
    send: (datagram) => state.send(datagram, channel, association.from),
    onKeys(keys) {
      association.srtp = newSrtp(keys);
      association.cancelTimeout();
      if (channel === 0) state.ready.resolve();
    },
    onEnd: fail,
  });
}

function stop(state: DtlsState): void {
  const { associations } = state;
  state.associations = new Map();
  for (const { dtls, cancelTimeout } of associations.values()) {
    cancelTimeout();
    dtls?.close();
  }
}
