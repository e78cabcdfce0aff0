import { ClientTransaction, type OutgoingRequestMessage } from "sip.js/lib/core/index.js";

let branches = 0;

/**
 * The library draws branch ids from ten million, which collide within seconds on a busy core and
 * let one client guess another's. Ours count, and end in 122 random bits (RFC 3261 §8.1.1.7).
 */
export function replaceBranchIds(): void {
  // makeId is protected.
  const transaction = ClientTransaction as unknown as {
    makeId(request: OutgoingRequestMessage): string;
  };
  transaction.makeId = (request) => {
    if (request.method === "CANCEL" && request.branch !== undefined) return request.branch;
    return `z9hG4bK${(branches++).toString(36)}.${crypto.randomUUID()}`;
  };
}
