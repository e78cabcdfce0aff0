import type { LegEvent } from "../../core/protocol/events.ts";
import type { Refusal } from "../base/refusal.ts";
import type { Trunk } from "./trunk.ts";

/** An admitted caller. */
export interface Caller {
  accountSid: string;
  /** Of a sub-account, where the service has named it: the tenant by which it counts. */
  tenant?: string | undefined;
  /** The Client; undefined for any other caller. */
  login: string | undefined;
  trunk?: Trunk;
  /** The SDP that came with a USSD dialogue, empty without one; absent in a call. */
  ussdOffer?: string;
  /** The caller in reports to the service. */
  event: Extract<LegEvent, { type: "incoming" | "incomingNumber" }>;
}

/** Demands of a caller on the calls that are placed for it. */
export interface CallerDemands {
  /** The callee must not learn the caller's identity, or not its SDP (RFC 3323). */
  readonly isHidden: boolean;
  readonly hidesSession: boolean;
  /** TLS at every hop (RFC 3261 §26.2.2). */
  readonly isSecure: boolean;
}

export const noDemands: CallerDemands = { isHidden: false, hidesSession: false, isSecure: false };

/** The caller, or the response that refuses it. */
export type Admitted = Caller | { refusal: Refusal };
