import type { LegOptions } from "../base/port.ts";
import type { RtpPacket } from "../rtp/rtp.ts";
import type { AudioSection, Session } from "./sdp.ts";
import type { Stream } from "./write_sdp.ts";

/** A way to move RTP and RTCP; an engine has one for each kind of leg. */
export interface Transport {
  readonly kind: AudioSection["kind"];
  /**
   * Our end for a peer's offer, or for an offer of ours; throws when it cannot be had. The options are
   * for peers that ICE does not reach.
   */
  open(offer?: Session, options?: LegOptions): Promise<Peer>;
  /** Frees what its peers shared; they are closed, and there will be no more. */
  close?(): Promise<void>;
}

/** The way to one peer. */
export interface Peer {
  /** Our side of the session, complete. */
  readonly local: Session;
  /** The stream we send. */
  readonly stream: Stream;
  /**
   * True where silence alone shows that the peer is gone; else the transport asks it for consent
   * (RFC 7675).
   */
  readonly vanishesSilently: boolean;
  /** Takes the answer, when ours was the offer; as the port says, another one after an early one. */
  accept(answer: Session, isEarly?: boolean): void | Promise<void>;
  /**
   * Takes a later offer of the peer, or its answer to one of ours, that negotiation found acceptable.
   * The result is our side from now on: another one after a restart of ICE.
   */
  change(offer: Session): Session | Promise<Session>;
  /** Resolves when packets can flow; rejects when they never will, also by `close`. */
  readonly connected: Promise<void>;
  /** Resolves once with the reason, when the way to the peer is gone without `close`. */
  readonly lost: Promise<string>;
  /** Resolves once, with the address, when RTP was dropped for the address that it came from. */
  readonly unknownSource?: Promise<string>;
  /** Sends an RTP or RTCP packet, or drops it as a network would; it is lent until this returns. */
  send(packet: Uint8Array<ArrayBuffer>): void;
  /**
   * Called with each packet of the peer, RTP or RTCP, whose bytes are lent until it returns; given the
   * former also as it was read, if it was.
   */
  onPacket: ((packet: Uint8Array, rtp?: RtpPacket) => void) | undefined;
  /** Resolves when nothing is held any more. Nothing is called back from now on. */
  close(): Promise<void>;
}

/** A stream of random names, as RFC 3550 §8 and RFC 7022 §4.2 want them. */
export const newStream = (): Stream => ({
  ssrc: crypto.getRandomValues(new Uint32Array(1))[0]!,
  cname: crypto.randomUUID(),
});
