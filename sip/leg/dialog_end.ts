/**
 * Statuses by which a peer, or a proxy before it, says that a dialog is over: RFC 3261 §12.2.1.2 and the
 * table of RFC 5057 §5.1; 430 is that of an edge proxy whose connection to the phone is lost (RFC 5626).
 */
const over: ReadonlySet<number> = new Set([404, 410, 416, 430, 482, 483, 484, 485, 502, 604]);

/** Reason why a status ends its dialog, after "the phone"; undefined for a status of a living peer. */
export function dialogEnd(status: number): string | undefined {
  if (status === 408) return "does not answer SIP";
  if (status === 481) return "does not know the call any more";
  return over.has(status) ? `cannot be reached any more (SIP status ${status})` : undefined;
}
