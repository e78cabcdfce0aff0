import { dialogEnd } from "./dialog_end.ts";
import {
  type IncomingRequestMessage,
  type IncomingResponseMessage,
  SessionState,
} from "../base/sip_js.ts";
import { awakeNow } from "../../core/base/steady_clock.ts";
import type { Verdict } from "../base/admission.ts";
import { completeRequest, completeResponse } from "../stack/complete_response.ts";
import { badRequest } from "../text/bad_request.ts";
import type { Dialog } from "../contracts/dialog.ts";
import { currentFlow, type Flow, withFlow } from "../base/flow.ts";
import { cancelOffer } from "./offer.ts";
import { sipLimits } from "../base/limits.ts";
import { type ParsedRequest, parseMessage, SipParseError } from "../text/parse.ts";
import { type Refusal, unavailable } from "../base/refusal.ts";
import { refusePrivacy } from "../text/privacy.ts";
import { reply } from "../stack/reply.ts";
import { refuseInterval } from "../contracts/session_timer.ts";
import { peerLogin } from "../text/peer_proofs.ts";
import { guard } from "../base/log.ts";
import { mayGoBy, refuseInsecure, refuseSips } from "../text/secure.ts";
import { followResponse } from "../stack/forget_transaction.ts";
import { invitedElsewhere, refuseCopy, transactionKey } from "../stack/merged.ts";
import { mayBeForked } from "../stack/server_transactions.ts";
import { originOf, setOrigin } from "../text/origin.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { answerUpdate, isUpdating } from "./update.ts";
import {
  allowedMethods,
  allowHeader,
  contactHeader,
  supportedOptions,
} from "../stack/user_agent_core.ts";
import { typeOf, unwrapSdp } from "../text/body_parts.ts";
import { receivedVia, type Via } from "../text/via.ts";
import { ussdType } from "../text/ussd_body.ts";

/** Methods that exist but have no place here (405); any other name is unknown (501). */
const refusedMethods = ["SUBSCRIBE", "PUBLISH"];

/** Methods that mean nothing outside a dialog of ours. */
const inDialogOnly = ["INFO", "PRACK", "NOTIFY"];

/** Handles one message of a connection. Never throws: an unreadable message is refused or dropped. */
export function receive(signalling: Signalling, flow: Flow, text: string): void {
  withFlow(flow, () => {
    // Parsing of ignored messages would cost more than anything else of a flood.
    const unread = signalling.admission.judgeUnread(flow);
    if (unread === "cut") return flow.close();
    if (unread === "ignore") return;
    try {
      const parsed = parseMessage(text);
      signalling.traces.keep("received", { flow, callId: parsed.message.callId, text });
      if (flow.absorbs?.(parsed.message)) return;
      if ("target" in parsed) receiveRequest(signalling, parsed, unread);
      else receiveResponse(signalling, parsed.message);
    } catch (error) {
      if (!(error instanceof SipParseError)) {
        signalling.log("Cannot handle a SIP message", { error: String(error) });
      } else refuseUnreadable(signalling, flow, error);
    }
  });
}

function refuseUnreadable(
  { admission }: Signalling,
  flow: Flow,
  { request, why }: SipParseError,
): void {
  const verdict = admission.judge(flow);
  if (verdict === "cut") flow.close();
  if (verdict !== "serve" || request === undefined) return;
  markReceived(request, flow);
  flow.transport.send(badRequest(request, why)).catch(() => {});
}

function receiveResponse(signalling: Signalling, message: IncomingResponseMessage): void {
  const { core } = signalling;
  // A response with two Via headers is for another hop (RFC 3261 §8.1.3.3).
  if (message.headers["Via"]?.length !== 1) return;
  unwrapSdp(message, ussdType);
  // Another type than SDP is no answer to an offer; sip.js would throw for a body without a type.
  if (!isAnswer(message)) message.body = "";
  completeResponse(core, message);
  noteResponse(signalling, message);
  followResponse(core, message, currentFlow());
  core.receiveIncomingResponseFromTransport(message);
}

/**
 * Notes a response in a dialog as a sign of life of the peer. A proxy sends 100 by itself, and statuses that
 * end a dialog for a peer that is gone.
 */
function noteResponse({ dialogs }: Signalling, message: IncomingResponseMessage): void {
  const { callId, fromTag, toTag, statusCode } = message;
  if (!statusCode || statusCode === 100 || dialogEnd(statusCode) !== undefined) return;
  const dialog = dialogs.get(callId + fromTag + toTag);
  if (dialog !== undefined) dialog.heardAt = awakeNow();
}

/**
 * True when the body of a response may be used: only SDP answers an offer, and other requests take any
 * type.
 */
function isAnswer(message: IncomingResponseMessage): boolean {
  const type = message.getHeader("content-type");
  if (type === undefined) return false;
  return !["INVITE", "UPDATE", "PRACK"].includes(message.method) ||
    typeOf(type) === "application/sdp";
}

/** `unread` is the verdict from before it was parsed. */
function receiveRequest(
  signalling: Signalling,
  request: ParsedRequest,
  unread: Verdict | undefined,
): void {
  const { message } = request;
  const flow = currentFlow();
  unwrapSdp(message, ussdType);
  markReceived(message, flow);
  completeRequest(signalling.core, message);
  const dialog = dialogOf(signalling, message);
  const verdict = dialog === undefined ? unread ?? signalling.admission.judge(flow) : "serve";
  if (verdict === "cut") return flow.close();
  if (verdict === "ignore") return;
  const refusal = verdict === "refuse" ? unavailable : refuse(signalling, request, dialog);
  if (refusal !== undefined) {
    if (message.method !== "ACK") reply(flow, message, refusal);
    return;
  }
  if (mayBeForked(message) && refuseCopy(signalling.core, message, flow)) return;
  setOrigin(message, { flow, target: request.target });
  const isNewCall = message.method === "INVITE" && !message.toTag;
  const refused = isNewCall ? signalling.refuseInvite(message) : undefined;
  if (refused !== undefined) return reply(flow, message, refused);
  // The core serves only the user in its own address, and keys transactions on the branch alone.
  message.ruri = signalling.core.configuration.aor;
  if (message.method === "OPTIONS") return answerOptions(signalling, message, { flow, dialog });
  if (message.method === "REGISTER" && !message.toTag) return signalling.onRegister(message);
  message.viaBranch = keyFor(signalling, message, flow);
  if (message.method === "UPDATE") answerUpdate(signalling, message);
  else signalling.core.receiveIncomingRequestFromTransport(message);
  if (message.method === "CANCEL") cancelOffer(signalling, message);
}

/**
 * The key of a request's transaction. A CANCEL, and the ACK to a refusal, may come by another connection
 * than their INVITE: of a trunk, or once that of the INVITE has closed. They come from the host that the
 * INVITE came from (RFC 3261 §9.2, §17.2.3), or from another address of its Gateway: no trunk ends the call
 * of another.
 */
function keyFor(
  { core, sources }: Signalling,
  message: IncomingRequestMessage,
  flow: Flow,
): string {
  const key = transactionKey(message, flow);
  const isOfInvite = message.method === "CANCEL" || message.method === "ACK";
  if (!isOfInvite || core.userAgentServers.has(key)) return key;
  const invited = invitedElsewhere(core, message, flow);
  if (invited === undefined) return key;
  const origin = originOf(invited.message);
  const { flow: first } = origin;
  const source = sources.of(origin);
  const isSource = first.remote.host === flow.remote.host ||
    Boolean(source?.gateway && source.trunk.owns(flow.remote.host));
  return isSource && (first.closed || sources.knows(first)) ? invited.key : key;
}

/** Refusal of a request by the checks of RFC 3261 §8.2, before its method is performed. */
function refuse(
  signalling: Signalling,
  request: ParsedRequest,
  dialog: Dialog | undefined,
): Refusal | undefined {
  const { message } = request;
  if (request.refusal !== undefined) return { statusCode: request.refusal };
  return refuseMethod(message.method) ?? refuseTarget(request) ?? refuseHeaders(message) ??
    refuseDialog(message, dialog) ?? refuseOffer(message) ??
    refuseSession(signalling, message);
}

function refuseMethod(method: string): Refusal | undefined {
  if (allowedMethods.includes(method)) return undefined;
  const statusCode = refusedMethods.includes(method) ? 405 : 501;
  return { statusCode, extraHeaders: [allowHeader] };
}

function refuseTarget({ message, target }: ParsedRequest): Refusal | undefined {
  const { protocol } = currentFlow().transport;
  if (target.length > sipLimits.requestUriLength) return { statusCode: 414 };
  const scheme = message.ruri?.scheme ?? "";
  if (!["sip", "sips", "tel"].includes(scheme)) return { statusCode: 416 };
  return refuseSips(message, target, protocol);
}

function refuseHeaders(message: IncomingRequestMessage): Refusal | undefined {
  if (!message.fromTag) return { statusCode: 400, reasonPhrase: "Missing From Tag" };
  if (message.body !== "" && !message.hasHeader("content-type")) {
    return { statusCode: 400, reasonPhrase: "Missing Content-Type" };
  }
  if (message.method === "INVITE" && !hasOneContact(message)) {
    return { statusCode: 400, reasonPhrase: "Needs One Contact" };
  }
  // We pass on new INVITEs and MESSAGEs; for the rest we are the end of the way (§16.3 step 3).
  const passedOn = ["INVITE", "MESSAGE"].includes(message.method) && !message.toTag;
  const hops = message.headers["Max-Forwards"]?.[0]?.parsed;
  if (passedOn && hops === 0) return { statusCode: 483 };
  return (passedOn ? refusePrivacy(message) : undefined) ?? refuseRequired(message);
}

function hasOneContact(message: IncomingRequestMessage): boolean {
  const contacts = message.headers["Contact"] ?? [];
  return contacts.length === 1 && contacts[0]?.parsed !== "*";
}

/** An option we do not have (§8.2.2.3); CANCEL and ACK may not be refused for it. */
function refuseRequired(message: IncomingRequestMessage): Refusal | undefined {
  if (message.method === "CANCEL" || message.method === "ACK") return undefined;
  if (!message.hasHeader("require") && !message.hasHeader("proxy-require")) return undefined;
  const required = message.getHeaders("require").concat(message.getHeaders("proxy-require"))
    .join(",").split(",", sipLimits.parts).map((tag) => tag.trim().toLowerCase()).filter((tag) =>
      tag !== ""
    );
  // `privacy` is demanded of a proxy that keeps its caller's privacy (RFC 3323 §4.2), and never offered.
  const unsupported = required.filter((tag) =>
    tag !== "privacy" && !supportedOptions.includes(tag)
  );
  if (unsupported.length === 0) return undefined;
  return { statusCode: 420, extraHeaders: [`Unsupported: ${unsupported.join(", ")}`] };
}

function dialogOf(
  { dialogs, early }: Signalling,
  { callId, toTag, fromTag }: IncomingRequestMessage,
): Dialog | undefined {
  const id = callId + toTag + fromTag;
  return toTag ? dialogs.get(id) ?? early.get(id)?.() : undefined;
}

const isOfPeer = ({ flow, login, hop }: Dialog, by: Flow): boolean =>
  by === flow || login !== undefined && by.logins.has(login) ||
  hop !== undefined && hop.owns(by.remote.host);

/**
 * A request inside a dialog must name one of ours and come from the Client or the trunk whose leg it
 * is; from a new connection of that Client, the dialog moves there (RFC 5626 §4.3).
 */
function refuseDialog(
  message: IncomingRequestMessage,
  dialog: Dialog | undefined,
): Refusal | undefined {
  if (inDialogOnly.includes(message.method) && !message.toTag) return { statusCode: 481 };
  if (message.method === "REFER" && !message.toTag) {
    return { statusCode: 403, reasonPhrase: "Only In A Call" };
  }
  if (!message.toTag || message.method === "CANCEL") return undefined;
  // A text is for a Client, whatever it talks about meanwhile (RFC 3428 §4).
  if (message.method === "MESSAGE") return { statusCode: 403, reasonPhrase: "Only Outside A Call" };
  const flow = currentFlow();
  // An ACK to a refusal names no dialog: it is for the transaction.
  if (message.method === "ACK" && dialog === undefined) return undefined;
  if (dialog === undefined || !isOfPeer(dialog, flow)) return { statusCode: 481 };
  dialog.heardAt = awakeNow();
  if (!mayGoBy(dialog, flow)) return refuseInsecure(message);
  // A trunk or proxy may speak from several ports and hear at one alone.
  if (dialog.flow.closed || !dialog.hop?.owns(flow.remote.host)) dialog.flow = flow;
  return refuseTooEarly(dialog, message);
}

/** Refusal of a request that has to wait for the answer to the INVITE of a dialog, or its ACK. */
function refuseTooEarly(
  { session, session: { sessionState }, events }: Dialog,
  { method }: IncomingRequestMessage,
): Refusal | undefined {
  const isEarly = sessionState === SessionState.Early;
  const isCalled = events.onAck !== undefined;
  // A callee may say no BYE before it answers (RFC 3261 §15); its 4xx ends the call.
  if (method === "BYE" && isEarly && !isCalled) return { statusCode: 481 };
  if (method !== "INVITE") return undefined;
  // An INVITE of ours is open (§14.2).
  if (isEarly && !isCalled) return { statusCode: 491 };
  // The library would go on repeating the first 2xx for ever, once there are two that want an ACK. An
  // offer of the peer by UPDATE is answered before its next one is taken (RFC 6337).
  const isOpen = isEarly || sessionState === SessionState.AckWait || isUpdating(session);
  return isOpen ? { ...unavailable, statusCode: 500 } : undefined;
}

/**
 * Refuses an offer that is no SDP, or is compressed (§8.2.3). `refuseInvite` decides about the body of a
 * new call.
 */
function refuseOffer(message: IncomingRequestMessage): Refusal | undefined {
  if (!["INVITE", "UPDATE"].includes(message.method) || message.body === "") return undefined;
  const isPlain = /^\s*identity\s*$/i.test(message.getHeader("content-encoding") ?? "identity");
  const isSdp = typeOf(message.getHeader("content-type") ?? "") === "application/sdp";
  if (isPlain && (isSdp || !message.toTag)) return undefined;
  return {
    statusCode: 415,
    extraHeaders: ["Accept: application/sdp", "Accept-Encoding: identity"],
  };
}

function refuseSession(
  { sessionBounds }: Signalling,
  message: IncomingRequestMessage,
): Refusal | undefined {
  const isSession = message.method === "INVITE" || message.method === "UPDATE";
  return isSession ? refuseInterval(message, sessionBounds) : undefined;
}

/**
 * Answers OPTIONS (RFC 3261 §11.2). For another companion, whose audio passes by this one, the status
 * says whether the phone at the other end still has the call.
 */
function answerOptions(
  { domain, log }: Signalling,
  message: IncomingRequestMessage,
  { flow, dialog }: { flow: Flow; dialog: Dialog | undefined },
): void {
  const extraHeaders = [allowHeader, "Accept: application/sdp, text/plain", contactHeader(domain)];
  const answer = (statusCode: number) =>
    withFlow(flow, () => reply(flow, message, { statusCode, extraHeaders }));
  const asked = flow.logins.has(peerLogin) ? dialog?.events.onProbe?.() : undefined;
  if (asked === undefined) return answer(200);
  asked.then((status) => answer(status === 408 || status === 481 ? 481 : 200))
    .catch(guard(log, (error: unknown) => log("Cannot answer OPTIONS", { error: String(error) })));
}

function markReceived(message: IncomingRequestMessage, flow: Flow): void {
  const top = message.headers["Via"]?.[0];
  if (top?.parsed !== undefined) top.raw = receivedVia(top.raw, top.parsed as Via, flow.remote);
}
