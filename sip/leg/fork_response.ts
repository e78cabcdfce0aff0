import type { IncomingResponseMessage, OutgoingInviteRequest } from "sip.js/lib/core/index.js";
import { currentFlow, type Flow } from "../flow.ts";
import { moveTransaction } from "./forget_transaction.ts";
import type { Device } from "./fork.ts";
import { sdpBody } from "../signalling.ts";
import { sdpWithoutMedia } from "../ussd/ussd_body.ts";

export const statusOf = (message: IncomingResponseMessage): number => message.statusCode ?? 500;

/** The seconds of Retry-After; 0 where nothing is said of when to try again. */
export const retryAfterOf = (message: IncomingResponseMessage): number =>
  Number(/^\s*(\d{1,9})/.exec(message.getHeader("retry-after") ?? "")?.[1] ?? 0);

/**
 * What the ACK to a 2xx says: what answered a challenge of the INVITE (RFC 3261 §22.1), and, where it
 * had no offer, the answer to that of the 2xx (§13.2.2.4).
 */
export function ackOptions(
  { request, isAlone }: { request: OutgoingInviteRequest | undefined; isAlone: boolean },
  { body }: IncomingResponseMessage,
) {
  const extraHeaders = ["Authorization", "Proxy-Authorization"].flatMap((name) =>
    (request?.message.headers[name] ?? []).map((value) => `${name}: ${value}`)
  );
  return { extraHeaders, ...isAlone && body !== "" && { body: sdpBody(sdpWithoutMedia(body)) } };
}

/** PRACK (RFC 3262 §4); the library has dropped what came twice or out of order. */
export function acknowledge(
  message: IncomingResponseMessage,
  prack: (options: { extraHeaders: string[] }) => unknown,
): void {
  const rseq = message.getHeader("rseq");
  if (rseq === undefined) return;
  prack({ extraHeaders: [`RAck: ${rseq} ${message.cseq} INVITE`] });
}

/** A softphone that came back by a new connection answers by that, and is to get the ACK there. */
export function follow(
  fork: {
    flow: Flow;
    readonly device: Pick<Device, "trunk" | "routeSet">;
    readonly request: OutgoingInviteRequest | undefined;
  },
): void {
  const { flow: before, device: { trunk, routeSet }, request } = fork;
  fork.flow = currentFlow();
  const isProxied = trunk !== undefined || routeSet.length > 0;
  if (fork.flow === before || isProxied || before.transport.protocol === "UDP") return;
  if (request !== undefined) moveTransaction(request, fork.flow);
}
