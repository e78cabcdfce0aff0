import type { InboundLeg, Leg } from "../../contracts/leg.ts";

/** A leg with the SDP that its softphone answered with. */
type Answerer = Leg & { readonly remoteSdp?: string };

/**
 * Joins two legs whose media go past the companion: the answer, and every later offer and INFO,
 * pass from one dialog to the other as they are (RFC 7092 §3.1.2, a signalling-only B2BUA). The answer
 * gets whole header lines beside.
 */
export function passThrough(caller: InboundLeg, callee: Answerer, headers: string[] = []): void {
  caller.counterpart = callee;
  callee.counterpart = caller;
  caller.answerWith(callee.remoteSdp ?? "", headers);
}
