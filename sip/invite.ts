import type { IncomingInviteRequest, IncomingRequestMessage } from "sip.js/lib/core/index.js";
import { authenticate, type Authenticator, challengeOf, type Identity } from "./authenticate.ts";
import type { Calls } from "./calls.ts";
import { refuseStranger } from "./forget_transaction.ts";
import { createInboundLeg } from "./inbound_leg.ts";
import type { LegEvent } from "../core/bridge.ts";
import { mintCallSid } from "./call_sid.ts";
import { sipLimits } from "./limits.ts";
import { passedHeaders } from "./passed_headers.ts";
import { plainName } from "./plain_text.ts";
import { parseReplaces, replacedDialog } from "./refer_to.ts";
import { type Refusal, unavailable } from "./refusal.ts";
import { guard, originOf } from "./signalling.ts";
import { userOf } from "./uri.ts";

export interface InviteOptions {
  calls: Calls;
  authenticator: Authenticator;
  /** Whether new calls are still taken. */
  accepting(): boolean;
}

/** A call from a Client (RFC 3261 §13.3): who it is, then what the service says to do. */
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
      refuseStranger(request, { statusCode: 487 });
    }),
  };
  request.trying();
  const identity = await admit(options, request);
  if (cancelled) return;
  if ("refusal" in identity) {
    refuseStranger(request, identity.refusal);
    return;
  }
  const { login, credentials: { accountSid, clientSid } } = identity;
  const replaces = replacedLeg(calls, request.message, accountSid);
  if (typeof replaces === "number") {
    request.reject({ statusCode: replaces });
    return;
  }
  const { flow } = originOf(request.message);
  const { signalling, media } = calls;
  const call = { id: mintCallSid(), accountSid, login, flow, request, media };
  const live = calls.add(createInboundLeg(signalling, call));
  void live.leg.whenAnswered.then((answered) => answered && live.report({ type: "answered" }));
  live.run((signal) =>
    live.ask({ ...incoming(request), ...replaces && { replaces }, login, clientSid }, {
      signal,
      onUnreachable: () => live.leg.hangup({ status: 503 }),
    })
  );
}

/**
 * What a new INVITE is refused with at once: whoever is no caller yet gets no transaction, which it
 * could have us hold at no cost of its own (RFC 3261 §8.2.7).
 */
export function refuseAtOnce(
  { authenticator, accepting }: Pick<InviteOptions, "authenticator" | "accepting">,
  message: IncomingRequestMessage,
): Refusal | undefined {
  if (!accepting()) return unavailable;
  if (message.body !== "" && message.parseHeader("content-type") !== "application/sdp") {
    return { statusCode: 415, extraHeaders: ["Accept: application/sdp"] };
  }
  return challengeOf(authenticator, { message, ...originOf(message) }, "proxy");
}

/**
 * The leg of the same account whose place an INVITE is to take (RFC 3891 §3); undefined when it
 * does not ask for one, the status of the refusal when there is none such.
 */
function replacedLeg(
  { signalling, find }: Calls,
  message: IncomingRequestMessage,
  accountSid: string,
): string | number | undefined {
  const header = message.getHeader("replaces");
  if (header === undefined) return undefined;
  const replaces = parseReplaces(header);
  const dialog = replaces && replacedDialog(signalling, replaces);
  const leg = dialog && find(dialog.leg)?.leg;
  if (leg?.accountSid !== accountSid || leg.answeredAt === undefined) return 481;
  return replaces?.earlyOnly ? 486 : leg.id;
}

/** Only a registered Client may call, with its own name in From. */
async function admit(
  { calls: { signalling }, authenticator, accepting }: InviteOptions,
  { message }: IncomingInviteRequest,
): Promise<Identity> {
  const origin = originOf(message);
  const identity = await authenticate(authenticator, { message, ...origin }, "proxy")
    .catch(() => ({ refusal: unavailable }));
  if ("refusal" in identity) return identity;
  if (userOf(message.from.uri) !== identity.login) {
    return { refusal: { statusCode: 403, reasonPhrase: "From Is Not The Caller" } };
  }
  if (signalling.location.find(identity.login).length === 0) {
    return { refusal: { statusCode: 403, reasonPhrase: "Not Registered" } };
  }
  origin.flow.logins.add(identity.login);
  return accepting() ? identity : { refusal: unavailable };
}

type Incoming = Extract<LegEvent, { type: "incoming" }>;

function incoming({ message }: IncomingInviteRequest): Omit<Incoming, "login" | "clientSid"> {
  const displayName = plainName(message.from.displayName, sipLimits.displayNameLength);
  return {
    type: "incoming",
    uri: originOf(message).target.split("?")[0] ?? "",
    sipCallId: message.callId,
    headers: passedHeaders(message),
    ...displayName === "" ? {} : { displayName },
  };
}
