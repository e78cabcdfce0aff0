import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { acceptedCrypto, keysOf, newCrypto, offeredCrypto } from "../sdp/sdes.ts";
import { type CryptoLine, suites } from "../srtp/crypto_suites.ts";
import { refusal, type RtpSecurity } from "../sdp/sdp.ts";
import { systemClock } from "../base/ticker.ts";
import type { Certificate } from "../webrtc/certificate.ts";
import { type Dtls, startDtls } from "../webrtc/dtls.ts";
import { newSrtp, type Srtp, srtpReceiver, srtpSender } from "../srtp/srtp.ts";

/** RTP and, where it has a port of its own, RTCP. */
export type Channel = 0 | 1;

type OfKind<Kind extends RtpSecurity["kind"]> = Extract<RtpSecurity, { kind: Kind }>;

/** How the RTP of one peer is secured without ICE. */
export interface Securing<Ours extends RtpSecurity = RtpSecurity> {
  /** Our part of the SDP, as it is now. */
  ours(): Ours;
  /** Takes the peer's part of an offer or an answer; throws `NoCommonCodec`, and nothing has changed. */
  take(theirs: RtpSecurity | undefined): void;
  /** Resolves when packets can flow. */
  readonly ready: Promise<void>;
  /** Resolves once with the reason, when they no longer can. */
  readonly lost: Promise<string>;
  /** The packet as it goes out, lent until the next call; undefined where none may. */
  protect(packet: Uint8Array, channel: Channel): Uint8Array<ArrayBuffer> | undefined;
  /** The packet that came, in the clear; undefined of one that is not the peer's. */
  unprotect(packet: Uint8Array, channel: Channel): Uint8Array<ArrayBuffer> | undefined;
  /** A datagram of DTLS from an address that signalling knows. */
  receive(datagram: Uint8Array, from: Address, channel: Channel): void;
  close(): void;
}

/** Keys that the SDP brings (RFC 4568). Without an offer of the peer's, ours goes first. */
export function sdesSecuring(offer: RtpSecurity | undefined): Securing<OfKind<"sdes">> {
  let lines = offer === undefined ? offeredCrypto() : [];
  let sent: CryptoLine | undefined;
  let heard: CryptoLine | undefined;
  let sender: Srtp["protect"] | undefined;
  let receiver: Srtp["unprotect"] | undefined;
  const ready = Promise.withResolvers<void>();

  const use = (ours: CryptoLine, theirs: CryptoLine) => {
    // Another context with the same key would begin its numbers anew, and use a keystream twice.
    if (ours.inline !== sent?.inline) sender = srtpSender(keysOf(ours), suites[ours.suite]);
    if (theirs.inline !== heard?.inline || theirs.suite !== heard.suite) {
      receiver = srtpReceiver(keysOf(theirs), suites[theirs.suite]);
    }
    [sent, heard] = [ours, theirs];
    ready.resolve();
  };
  const answer = ([theirs]: readonly CryptoLine[]) => {
    if (theirs === undefined) throw refusal("it has no usable crypto", "transport");
    const { tag, suite } = theirs;
    const ours = sent?.suite === suite ? { ...sent, tag } : newCrypto(tag, suite);
    lines = [ours];
    use(ours, theirs);
  };
  /** The peer's later offer, its answer to one of ours, or that of another one a proxy rang. */
  const again = (theirs: CryptoLine[]) => {
    const taken = lines.find((ours) =>
      ours.tag === theirs[0]?.tag && ours.suite === theirs[0].suite
    );
    if (taken === undefined) answer(theirs);
    else use(taken, theirs[0]!);
  };
  return {
    ours: () => ({ kind: "sdes", crypto: lines }),
    take(theirs) {
      if (theirs?.kind !== "sdes") {
        throw refusal("it does not secure its audio with SDES", "transport");
      }
      if (offer !== undefined || sent !== undefined) return again(theirs.crypto);
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

/** An offer with keys and a fingerprint, of which each answer takes one. */
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
  /** Sends by a channel, to an address where one was heard from, else where the SDP says. */
  send(datagram: Uint8Array<ArrayBuffer>, channel: Channel, to: Address | undefined): void;
}

interface Association {
  dtls: Dtls;
  from: Address | undefined;
  srtp: Srtp | undefined;
  cancel(): void;
}

/**
 * Keys by DTLS (RFC 5763, 5764) on the ports of the media. Where the peer lets us choose we wait for it to
 * begin: its first datagram opens the way through its NAT and shows where that leads.
 */
export function dtlsSecuring(
  { certificate, offer, channels, send }: DtlsSecuringOptions,
): Securing<OfKind<"dtls">> {
  const ready = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  ready.promise.catch(() => {});
  let setup: "actpass" | "active" | "passive" = "actpass";
  let remote: { fingerprint: string } | undefined;
  let associations = new Map<Channel, Association>();

  const stop = () => {
    const before = associations;
    associations = new Map();
    for (const { dtls, cancel } of before.values()) {
      cancel();
      dtls.close();
    }
  };
  const begin = (channel: Channel, fingerprint: string) => {
    const mine: Association = {
      from: undefined,
      srtp: undefined,
      cancel: () => {},
      dtls: undefined as unknown as Dtls,
    };
    const fail = (why: string) => {
      mine.cancel();
      // Without RTCP there is a call; without RTP there is none.
      if (channel === 0 && associations.get(0) === mine) lost.resolve(why);
    };
    associations.set(channel, mine);
    mine.cancel = systemClock.after(mediaLimits.dtlsMs, () => fail("DTLS takes too long"));
    mine.dtls = startDtls({
      role: setup === "active" ? "client" : "server",
      certificate,
      fingerprint,
      clock: systemClock,
      send: (datagram) => send(datagram, channel, mine.from),
      onKeys(keys) {
        mine.srtp = newSrtp(keys);
        mine.cancel();
        if (channel === 0) ready.resolve();
      },
      onEnd: fail,
    });
  };
  return {
    ours: () => ({ kind: "dtls", fingerprint: certificate.fingerprint, setup }),
    take(theirs) {
      if (theirs?.kind !== "dtls") {
        throw refusal("it does not secure its audio with DTLS", "transport");
      }
      const { fingerprint } = theirs;
      if (remote?.fingerprint.toUpperCase() === fingerprint.toUpperCase()) return;
      if (offer === undefined && remote === undefined && theirs.setup === "actpass") {
        throw refusal(`its setup is "actpass"`);
      }
      stop();
      remote = theirs;
      setup = theirs.setup === "passive" ? "active" : "passive";
      for (const channel of channels) begin(channel, fingerprint);
    },
    ready: ready.promise,
    lost: lost.promise,
    protect: (packet, channel) => associations.get(channel)?.srtp?.protect(packet),
    unprotect: (packet, channel) => associations.get(channel)?.srtp?.unprotect(packet),
    receive(datagram, from, channel) {
      const association = associations.get(channel);
      if (association === undefined) return;
      association.from = from;
      association.dtls.receive(datagram);
    },
    close() {
      stop();
      ready.reject(new Error("Cannot connect media: the leg is closed"));
    },
  };
}
