import type { InboundLeg, OutboundLeg } from "./leg.ts";

/**
 * Joins two legs whose media go past the companion: the answer, and every later offer, pass from
 * one dialog to the other as they are (RFC 7092 §3.1.2, a signalling-only B2BUA).
 */
export function passThrough(caller: InboundLeg, callee: OutboundLeg): void {
  caller.onOffer = (sdp) => callee.reinvite(sdp);
  callee.onOffer = (sdp) => caller.reinvite(sdp);
  caller.answerWith(callee.remoteSdp);
}
