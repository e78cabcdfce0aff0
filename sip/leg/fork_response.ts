import type { IncomingResponseMessage, OutgoingInviteRequest } from "sip.js/lib/core/index.js";
import { currentFlow, type Flow } from "../flow.ts";
import { moveTransaction } from "./forget_transaction.ts";
import type { Device } from "./fork.ts";
import { sipLimits } from "../limits.ts";
import { hasOption } from "../dialog/session_timer.ts";
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

/** What a response needs of the fork that it is to. */
interface Responding {
  flow: Flow;
  readonly device: Pick<Device, "trunk" | "routeSet">;
  readonly request: OutgoingInviteRequest | undefined;
  /** Early SDP by the tag of who said it: a 2xx of the same need have none (RFC 3262 §5). */
  early: Map<string, string> | undefined;
}

type Prack = (options: { extraHeaders: string[] }) => unknown;

/** Takes a provisional response: acknowledges it where it asks for that, and keeps its SDP. */
export function takeProvisional(
  fork: Responding,
  message: IncomingResponseMessage,
  prack: Prack,
): void {
  follow(fork);
  if (hasOption(message, "require", "100rel")) acknowledge(message, prack);
  if (message.body !== "") keepEarly(fork, message);
}

/** PRACK (RFC 3262 §4); the library has dropped what came twice or out of order. */
function acknowledge(message: IncomingResponseMessage, prack: Prack): void {
  const rseq = message.getHeader("rseq");
  if (rseq === undefined) return;
  prack({ extraHeaders: [`RAck: ${rseq} ${message.cseq} INVITE`] });
}

/** Of so many alone: a peer may ring any number of others. */
function keepEarly(fork: Responding, { toTag, body }: IncomingResponseMessage): void {
  const early = fork.early ??= new Map();
  if (early.has(toTag) || early.size < sipLimits.earlyAnswers) early.set(toTag, body);
}

/** A softphone that came back by a new connection answers by that, and is to get the ACK there. */
export function follow(fork: Responding): void {
  const { flow: before, device: { trunk, routeSet }, request } = fork;
  fork.flow = currentFlow();
  const isProxied = trunk !== undefined || routeSet.length > 0;
  if (fork.flow === before || isProxied || before.transport.protocol === "UDP") return;
  if (request !== undefined) moveTransaction(request, fork.flow);
}
