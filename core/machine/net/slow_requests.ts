import { awakeNow } from "../../base/steady_clock.ts";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { netLimits } from "./limits.ts";

/** A connection of HTTP/1.1 and how far its client is. */
export interface HttpConnection {
  readonly socket: Socket;
  /** Requests whose response is not over. */
  underWay: number;
  /** The latest of them. */
  request: IncomingMessage | undefined;
  /** Time at which it was opened, or the latest request or response began or ended. */
  since: number;
  /** Bytes that had been received then. */
  bytesThen: number;
  /** No request came yet. */
  isFresh: boolean;
  /** Time at which a check first found bytes of a further request. */
  headSince: number | undefined;
}

export const openConnection = (socket: Socket): HttpConnection => ({
  socket,
  underWay: 0,
  request: undefined,
  since: awakeNow(),
  bytesThen: 0,
  isFresh: true,
  headSince: undefined,
});

/** Notes that a request or a response began or ended. */
export function markProgress(connection: HttpConnection): void {
  connection.since = awakeNow();
  connection.bytesThen = connection.socket.bytesRead;
  connection.isFresh = false;
  connection.headSince = undefined;
}

/**
 * Pace of a client: "slow" with a head or a body (408, RFC 9110 §15.5.9), "idle" between requests, or
 * "fine". Node's own time-outs need a server that listens itself, and have no rate.
 */
export function judgePace(connection: HttpConnection, now: number): "slow" | "idle" | "fine" {
  const { socket, underWay, since, bytesThen, isFresh } = connection;
  if (underWay > 0) return isSlowBody(connection, now) ? "slow" : "fine";
  if (isFresh) return now - since > netLimits.headMs ? "slow" : "fine";
  if (socket.bytesRead === bytesThen) return now - since > netLimits.idleMs ? "idle" : "fine";
  connection.headSince ??= now;
  return now - connection.headSince > netLimits.headMs ? "slow" : "fine";
}

function isSlowBody(connection: HttpConnection, now: number): boolean {
  const { request, socket, since, bytesThen } = connection;
  if (request === undefined || request.complete) return false;
  if (request.readableLength >= request.readableHighWaterMark) {
    // We do not read: the client has the time that this takes.
    connection.since += netLimits.slowLookMs;
    return false;
  }
  const earnedMs = (socket.bytesRead - bytesThen) / netLimits.bodyBytesPerS * 1_000;
  return now - since > netLimits.bodyGraceMs + earnedMs;
}
