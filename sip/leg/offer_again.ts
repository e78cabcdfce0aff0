/**
 * Order of offers to a phone, each after a 488. A phone on TLS first gets RTP/SAVP with SDES keys and a
 * DTLS fingerprint (baresip does DTLS under that profile; RFC 8643 §3.1 has several keying methods in one
 * offer), then DTLS-SRTP, then plain RTP unless the call demands TLS. SDES keys in an offer are accepted
 * on any transport, and offered over TLS alone (RFC 4568). A phone with plain RTP alone costs two more
 * INVITEs.
 */
import type { Fork, ForkEvents, ForkRefusal } from "../contracts/fork.ts";
import { isUnacceptable } from "./device_fork.ts";

/**
 * A fork that makes a second offer when the callee refuses all media of the first one (488, 415, 606).
 * `another` makes the fork with the second offer; when it rejects, the first refusal counts.
 */
export function offerAgain(first: Fork, another: () => Promise<Fork>): Fork {
  let fork = first;
  let [isOpening, isLast, isCancelled] = [false, false, false];

  async function refused(refusal: ForkRefusal, events: ForkEvents): Promise<void> {
    if (isLast || isCancelled || !isUnacceptable(refusal.status)) return events.onRefused(refusal);
    [isLast, isOpening] = [true, true];
    const next = await another().catch(() => undefined);
    isOpening = false;
    if (next === undefined) return events.onRefused(refusal);
    if (isCancelled) {
      next.media?.close();
      return events.onRefused({ status: 487, headers: {}, retryAfterS: 0 });
    }
    fork.media?.close();
    fork = next;
    fork.send(events);
  }

  return {
    get media() {
      return fork.media;
    },
    get offer() {
      return fork.offer;
    },
    get flow() {
      return fork.flow;
    },
    get trunk() {
      return fork.trunk;
    },
    get over() {
      return !isOpening && fork.over;
    },
    forget: () => fork.forget(),
    send: (events) =>
      fork.send({ ...events, onRefused: (refusal) => void refused(refusal, events) }),
    cancel(reason) {
      isCancelled = true;
      fork.cancel(reason);
    },
  };
}
