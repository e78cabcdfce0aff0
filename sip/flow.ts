import type { Transport } from "sip.js/lib/core/index.js";

/** One connection of a user agent (RFC 5626 §3.1). */
export interface Flow {
  readonly id: string;
  readonly remote: { readonly host: string; readonly port: number };
  /** Clients that proved who they are here. */
  readonly logins: Set<string>;
  readonly closed: boolean;
  /** Logins whose last answer to our challenges here was right. */
  readonly proven: Set<string>;
  /** What a transaction of the library sends through, for as long as it lives. */
  readonly transport: Transport;
  close(): void;
}

let current: Flow | undefined;

/**
 * Runs a function with the flow that a shared core builds transactions, responses and Contacts for.
 * The core reads it synchronously, so one variable is enough.
 */
export function withFlow<T>(flow: Flow, run: () => T): T {
  const before = current;
  current = flow;
  try {
    return run();
  } finally {
    current = before;
  }
}

/** The flow that the message being handled came by, or that `withFlow` names. */
export function currentFlow(): Flow {
  if (current === undefined) throw new Error("Cannot tell the flow: called outside withFlow");
  return current;
}
