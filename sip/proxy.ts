import type { InboundLeg, OutboundLeg } from "./leg.ts";

/**
 * Joins two legs whose media go past the companion: the answer, and every later offer and INFO,
 * pass from one dialog to the other as they are (RFC 7092 §3.1.2, a signalling-only B2BUA).
 */
export function passThrough(caller: InboundLeg, callee: OutboundLeg): void {
  caller.counterpart = callee;
  callee.counterpart = caller;
  caller.answerWith(callee.remoteSdp);
}
