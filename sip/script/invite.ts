import type { IncomingInviteRequest, IncomingRequestMessage } from "../base/sip_js.ts";
import { learnTenant } from "../../core/base/learned_tenants.ts";
import { admitNumber } from "./admit_number.ts";
import { type Authenticator, challengeOf } from "../auth/authenticate.ts";
import { authenticateCaller } from "../auth/authenticate_caller.ts";
import type { Calls } from "../contracts/calls.ts";
import type { Admitted } from "../contracts/caller.ts";
import { refuseUnauthenticated } from "../stack/forget_transaction.ts";
import { createInboundLeg } from "../leg/inbound_leg.ts";
import { numberCalledBy } from "../leg/inner_flow.ts";
import type { LegEvent } from "../../core/protocol/events.ts";
import { mintCallSid } from "../base/call_sid.ts";
import { sipLimits } from "../base/limits.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import { plainName } from "../text/plain_text.ts";
import { parseReplaces } from "../text/replaces.ts";
import { replacedLeg } from "./replaced.ts";
import { type Refusal, unavailable } from "../base/refusal.ts";
import type { ServiceLink } from "../service/service_link.ts";
import { peerHeader } from "../text/peer_proofs.ts";
import { mayBeUssd } from "../text/ussd_body.ts";
import { learnMediaKind } from "../leg/media_kind.ts";
import { originOf } from "../text/origin.ts";
import { numberParametersOf } from "../text/user_parameters.ts";
import { atDomain } from "../text/own_address.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";

export interface InviteOptions {
  calls: Calls;
  authenticator: Authenticator;
  link: Pick<ServiceLink, "number">;
  /** True while new calls are accepted. */
  accepting(): boolean;
}

/** Admits an INVITE (RFC 3261 §13.3), then requests its script from the service. */
export async function onInvite(
  options: InviteOptions,
  request: IncomingInviteRequest,
): Promise<void> {
  const { calls } = options;
  const { log } = calls.signalling;
  let cancelled = false;
  request.delegate = {
    onCancel: guard(log, () => {
      cancelled = true;
      refuseUnauthenticated(request, { statusCode: 487 });
    }),
  };
  request.trying();
  const admitted = await admit(options, request);
  if (cancelled) return;
  if ("refusal" in admitted) {
    refuseUnauthenticated(request, admitted.refusal);
    return;
  }
  const { event, tenant, ...caller } = admitted;
  learnTenant({ accountSid: caller.accountSid, tenant });
  const { flow } = originOf(request.message);
  const { signalling, media } = calls;
  if (media.hasRoomFor?.(caller.accountSid, request.message.body) === false) {
    signalling.shortages.count("share");
    return void refuseUnauthenticated(request, unavailable);
  }
  learnMediaKind(flow, request.message.body);
  const call = { id: mintCallSid(), ...caller, flow, request, media };
  const live = calls.add(createInboundLeg(signalling, call));
  void live.leg.whenAnswered.then((answered) => answered && live.report({ type: "answered" }));
  live.run((signal) =>
    live.requestScript(event, {
      signal,
      onUnreachable: () => live.leg.hangup({ status: 503, cause: "no-script" }),
    })
  );
}

/**
 * The refusal of a new INVITE that needs no transaction. An unauthenticated source gets none, since a
 * transaction would cost the companion more than the source (RFC 3261 §8.2.7).
 */
export function refuseAtOnce(
  { signalling, authenticator, accepting }:
    & Pick<InviteOptions, "authenticator" | "accepting">
    & { signalling: Signalling },
  message: IncomingRequestMessage,
): Refusal | undefined {
  if (!accepting()) return unavailable;
  // A browser's audio goes by the port that all of them share.
  if (signalling.shortages.current() !== undefined && !/\bRTP\/SAVPF\b/.test(message.body)) {
    return unavailable;
  }
  const origin = originOf(message);
  const isUssd = mayBeUssd(message.getHeader("content-type") ?? "") &&
    signalling.sources.of(origin) !== undefined;
  const isSdp = () => message.parseHeader("content-type") === "application/sdp";
  if (message.body !== "" && !isUssd && !isSdp()) {
    return { statusCode: 415, extraHeaders: ["Accept: application/sdp"] };
  }
  // Companions, other legs and trunks prove themselves by other means.
  const isChallenged = !message.hasHeader(peerHeader) &&
    numberCalledBy(origin.flow) === undefined && signalling.sources.of(origin) === undefined;
  return isChallenged ? challengeOf(authenticator, { message, ...origin }, "proxy") : undefined;
}

/**
 * The leg of the same account whose place an INVITE is to take (RFC 3891 §3), at whichever companion;
 * undefined when it has no Replaces, the status of the refusal when there is no such leg.
 */
function legToReplace(
  calls: Calls,
  message: IncomingRequestMessage,
  accountSid: string,
): string | number | undefined {
  const header = message.getHeader("replaces");
  if (header === undefined) return undefined;
  const replaces = parseReplaces(header);
  const named = replaces && replacedLeg(calls, replaces);
  if (named?.accountSid !== accountSid) return 481;
  const here = calls.find(named.leg);
  if (here !== undefined && here.leg.answeredAt === undefined) return 481;
  return replaces?.earlyOnly ? 486 : named.leg;
}

/** A trunk may call numbers; a Client may call any address. */
async function admit(
  { calls, link, authenticator, accepting }: InviteOptions,
  request: IncomingInviteRequest,
): Promise<Admitted> {
  const admitted = await admitNumber(calls.signalling, link, request.message) ??
    await admitClient({ calls, authenticator }, request);
  return accepting() ? admitted : { refusal: unavailable };
}

async function admitClient(
  { calls, authenticator }: Pick<InviteOptions, "calls" | "authenticator">,
  request: IncomingInviteRequest,
): Promise<Admitted> {
  const { message } = request;
  const identity = await authenticateCaller(calls.signalling, authenticator, message);
  if ("refusal" in identity) return identity;
  const { login, credentials: { accountSid, tenant, clientSid } } = identity;
  const replaces = legToReplace(calls, message, accountSid);
  if (typeof replaces === "number") return { refusal: { statusCode: replaces } };
  const event = {
    ...incoming(calls.signalling, request),
    ...replaces && { replaces },
    login,
    clientSid,
  };
  return { accountSid, tenant, login, event };
}

type Incoming = Extract<LegEvent, { type: "incoming" }>;

function incoming(
  signalling: Signalling,
  { message }: IncomingInviteRequest,
): Omit<Incoming, "login" | "clientSid"> {
  const displayName = plainName(message.from.displayName, sipLimits.displayNameLength);
  const { flow, target } = originOf(message);
  return {
    type: "incoming",
    uri: atDomain(signalling, target.split("?")[0] ?? "", flow),
    sipCallId: message.callId,
    headers: passedHeaders(message),
    ...numberParametersOf(message, { isTrusted: false }),
    ...displayName === "" ? {} : { displayName },
  };
}
