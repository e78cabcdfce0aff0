import type { LegEvent } from "../../core/protocol/events.ts";
import type { Refusal } from "../base/refusal.ts";
import type { Trunk } from "./trunk.ts";

/** Who calls, once let in. */
export interface Caller {
  accountSid: string;
  /** The Client; undefined of anybody else. */
  login: string | undefined;
  trunk?: Trunk;
  /** The SDP that came with a USSD dialogue, empty without one; absent in a call. */
  ussdOffer?: string;
  /** What the service is told of the call. */
  event: Extract<LegEvent, { type: "incoming" | "incomingNumber" }>;
}

/** What a caller demands of the calls that are placed for it. */
export interface CallerDemands {
  /** Whom it calls is not to know who calls, or not to get its SDP (RFC 3323). */
  readonly isHidden: boolean;
  readonly hidesSession: boolean;
  /** TLS at every hop (RFC 3261 §26.2.2). */
  readonly isSecure: boolean;
}

export const noDemands: CallerDemands = { isHidden: false, hidesSession: false, isSecure: false };

/** The caller, or the response that refuses it. */
export type Admitted = Caller | { refusal: Refusal };
