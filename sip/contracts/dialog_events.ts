import type { IncomingReferRequest } from "../base/sip_js.ts";
import type { ServiceCause } from "../../core/protocol/disconnection.ts";
import type { Content } from "../base/info.ts";

/** The other side of an offer in a dialog. */
export interface OfferAnswer {
  /** The answer; the peer's offer where the request had none. */
  sdp: string;
  /** Takes the answer to the offer, empty where none came; rejects when our media cannot follow it. */
  settle?(answer: string): void | Promise<void>;
}

/** Why a peer counts as out of reach. */
export type Lost = Extract<ServiceCause, "connection-lost" | "no-ack" | "session-timer">;

/** Handlers of a leg for its dialog. */
export interface DialogEvents {
  /** The peer hung up; its BYE, with this Reason header, is answered. */
  onBye(reason: string | undefined): void;
  /** The peer is out of reach: it did not come back, acknowledge, or refresh the session. */
  onLost(cause: Lost): void;
  /** ACK to our 2xx, with the peer's answer when the offer was ours. */
  onAck?(sdp: string): void;
  /** Our media cannot follow the peer's answer to a later offer: the two do not agree any more. */
  onUnfollowed(error: unknown): void;
  /** PRACK of a reliable provisional response; false when it acknowledges none. */
  onPrack?(rack: string): boolean;
  /**
   * Our answer to an offer in the dialog, or our offer when it brings none; throws `Refused`. The
   * signal aborts when the peer cancels.
   */
  onOffer(sdp: string | undefined, signal?: AbortSignal): Promise<OfferAnswer>;
  /** A body that is no SDP; resolves with the status to answer. */
  onInfo(body: Content): Promise<number>;
  /**
   * OPTIONS of the peer, which probes the call; resolves with the status of the response. The default is
   * 200.
   */
  onProbe?(): Promise<number>;
  /** REFER: the peer asks to transfer the other side of its call (RFC 3515). */
  onRefer(request: IncomingReferRequest): void;
  /**
   * Progress of a REFER that was passed to the peer: body and state of its NOTIFY. Returns false where
   * there was none.
   */
  onNotify(sipfrag: string, state: string): boolean;
}
