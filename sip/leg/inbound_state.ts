import type { IncomingInviteRequest } from "../base/sip_js.ts";
import type { Dialog, LastWords } from "../contracts/dialog.ts";
import { type Flow, withFlow } from "../base/flow.ts";
import type { Wiring } from "./in_dialog.ts";
import type { Lost } from "../contracts/dialog_events.ts";
import type { LegEnd } from "../contracts/leg.ts";
import { sipLimits } from "../base/limits.ts";
import type { MediaEngine, MediaLeg } from "../media/mod.ts";
import { byService, type Ending, outcomeOf, refusesMedia } from "../contracts/outcome.ts";
import { mediaWarning } from "./not_acceptable.ts";
import { originOf } from "../text/origin.ts";
import { parseUri } from "../text/uri.ts";
import { warning } from "../base/warning.ts";
import { type Refusal, unavailable } from "../base/refusal.ts";
import type { ReliableResponses } from "./reliable.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { Trunk } from "../contracts/trunk.ts";

export interface InboundCall {
  id: string;
  accountSid: string;
  /** The calling Client; undefined for any other caller. */
  login: string | undefined;
  /** The trunk that the call comes by. */
  trunk?: Trunk | undefined;
  flow: Flow;
  request: IncomingInviteRequest;
  media: MediaEngine;
  /** The SDP beside the body of a USSD dialogue, empty without one; undefined of a call. */
  ussdOffer?: string | undefined;
}

/** A leg while it lives; its dialog begins with the first response that has a tag. */
export interface InboundState {
  readonly signalling: Signalling;
  readonly call: InboundCall;
  readonly over: LegEnd;
  readonly released: PromiseWithResolvers<void>;
  readonly answered: PromiseWithResolvers<boolean>;
  dialog: Dialog | undefined;
  media: MediaLeg | undefined;
  answeredAt: number | undefined;
  preparing: Promise<MediaLeg | undefined> | undefined;
  answering: Promise<void> | undefined;
  rang: boolean;
  /** The first SDP of a ringing callee; empty before. */
  earlySdp: string;
  /** The caller takes reliable provisional responses only. */
  readonly reliable: ReliableResponses | undefined;
  readonly wiring: Wiring;
}

/** Sends a response to the INVITE, unless it has its final one. */
export function reply(
  { signalling, call, dialog, over, answeredAt }: InboundState,
  send: () => void,
): void {
  if (over.signal.aborted || answeredAt !== undefined) return;
  guard(signalling.log, () => withFlow(dialog?.flow ?? call.flow, send))();
}

/** The caller is out of reach. */
export function lost(state: InboundState, cause: Lost): void {
  const why = byService(cause);
  if (state.answeredAt !== undefined) bye(state, { outcome: "completed", ...why });
  else refuse(state, 480, { outcome: "failed", ...why });
}

/** Refuses the INVITE, unless it has its final response. */
export function refuse(
  state: InboundState,
  status: number,
  { outcome = outcomeOf(status), reason, detail, disconnection, headers = [] }: {
    outcome?: Ending["outcome"];
    reason?: Ending["reason"];
    detail?: Ending["detail"];
    disconnection?: Ending["disconnection"];
    headers?: string[];
  } = {},
): void {
  // A redirection would need a target, and there is none.
  const statusCode = status < 400 ? 480 : status;
  const refusal: Refusal = statusCode === unavailable.statusCode ? unavailable : { statusCode };
  const extraHeaders = [...refusal.extraHeaders ?? [], ...headers];
  if (!headers.some((line) => /^warning:/i.test(line))) {
    extraHeaders.push(...wordsFor(state, statusCode));
  }
  reply(state, () => state.call.request.reject({ ...refusal, extraHeaders }));
  state.dialog?.abandon();
  const ending = {
    outcome,
    sipStatus: statusCode,
    ...reason && { reason },
    ...detail && { detail },
    ...disconnection && { disconnection },
  };
  if (state.over.end(ending)) state.released.resolve();
}

/** A Warning about a fault that the status does not show. */
function wordsFor(
  { signalling: { domain, isOwn }, call: { flow, login, request: { message } } }: InboundState,
  statusCode: number,
): string[] {
  if (refusesMedia(statusCode)) return [mediaWarning(domain)];
  if (statusCode !== 404 || login === undefined) return [];
  const uri = parseUri(originOf(message).target);
  if (uri === undefined || !/^sips?$/.test(uri.scheme) || isOwn(uri, flow)) return [];
  const text = `Cannot call an address at ${uri.host}: the domain of this server is ${domain} ` +
    "(SIP_DOMAIN), and DIAL_SIP_HOSTS lists the others that may be called";
  return [warning(domain, text)];
}

/** BYE to the caller. */
export function bye(state: InboundState, ending: Ending, words?: LastWords): void {
  void state.dialog?.bye(words).then(state.released.resolve);
  state.over.end(ending);
}

/** A browser that hangs up may close its media a moment before its BYE comes. */
export function mediaLost(state: InboundState, why: string): void {
  const { signalling: { timers, log }, call: { id: leg } } = state;
  const lose = () => {
    log("Lost the media of a leg", { leg, why });
    bye(state, { outcome: "completed", reason: "media-lost", ...byService("media-lost", why) });
  };
  const stop = timers.after(sipLimits.byeGraceMs, lose);
  void state.over.ended.then(stop);
}
