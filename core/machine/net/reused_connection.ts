import type { ClientRequest } from "node:http";

/**
 * Prevents the runtime from repeating a request, and returns true when it goes over a reused connection. The runtime sends such a request again when the connection ends without an answer, also
 * where the request itself was given up: the repeat has no time limit, and what waits for the request
 * waits for it. Call it before the request is given a body.
 */
export function takeRepeats(sent: ClientRequest): boolean {
  const isReused = sent.reusedSocket;
  sent.reusedSocket = false;
  return isReused;
}

/** Tells whether a request failed since the other end had closed the connection, by the code of the error. */
export const isClosed = (code: string | undefined): boolean =>
  code === "ECONNRESET" || code === "EPIPE";
