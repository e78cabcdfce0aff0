/**
 * Refusals without state. A refusal of a request that rang no phone is a stateless response (RFC
 * 3261 §8.2.7), so requests of unauthenticated sources leave no transaction. Each copy of a request
 * is judged anew. An address draws at most three bytes for each byte that it sent, as in RFC 9000
 * §8.1. A refusal after a provisional response is repeated twice over UDP, since its client repeats
 * nothing.
 */
import { hash, randomBytes } from "node:crypto";
import type { IncomingRequestMessage } from "../base/sip_js.ts";

const secret = randomBytes(32).toString("hex");

/**
 * The tag in To of a refusal that leaves no transaction: each copy of a request is given the same one,
 * and a peer cannot guess it (RFC 3261 §8.2.7, §19.3).
 */
export function statelessTag(message: IncomingRequestMessage): string {
  const { callId, fromTag, cseq, viaBranch } = message;
  const request = JSON.stringify([callId, fromTag, cseq, viaBranch]);
  // Half of a hash cannot be extended, so it needs no HMAC, which takes four times as long.
  return hash("sha256", secret + request).slice(0, 32);
}
