/** Content of a delivery receipt (SMPP 3.4 appendix B, §5.3.2.12, §5.3.2.35). */
export interface ReceiptText {
  id: string;
  /** Null: the text is on its way still. */
  status: "sent" | "failed" | null;
  reason: string;
}

const states = [
  "",
  "ENROUTE",
  "DELIVRD",
  "EXPIRED",
  "DELETED",
  "UNDELIV",
  "ACCEPTD",
  "UNKNOWN",
  "REJECTD",
];

/** Reads a receipt, by its parameters where it has them; null for a text that is none. */
export function readReceipt(
  text: string,
  { id, state }: { id?: string | undefined; state?: number | undefined },
): ReceiptText | null {
  const found = id ?? /\bid:(\S+)/i.exec(text)?.[1];
  const stat = (state === undefined ? undefined : states[state]) ??
    /\bstat:(\w+)/i.exec(text)?.[1]?.toUpperCase();
  if (!found || !stat) return null;
  const error = /\berr:(\w+)/i.exec(text)?.[1];
  const reason = stat + (error === undefined ? "" : ` (error ${error})`);
  if (stat === "ENROUTE" || stat === "ACCEPTD") return { id: found, status: null, reason };
  return { id: found, status: stat === "DELIVRD" ? "sent" : "failed", reason };
}
