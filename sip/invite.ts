import type { IncomingInviteRequest } from "sip.js/lib/core/index.js";
import { authenticate, type Authenticator, type Identity } from "./authenticate.ts";
import type { Calls } from "./calls.ts";
import { createInboundLeg } from "./inbound_leg.ts";
import type { LegEvent } from "../core/bridge.ts";
import { mintCallSid } from "./call_sid.ts";
import { sipLimits } from "./limits.ts";
import { plainName, plainText } from "./plain_text.ts";
import { unavailable } from "./refusal.ts";
import { refuseStranger } from "./refuse_stranger.ts";
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
  const { flow } = originOf(request.message);
  const { signalling, media } = calls;
  const call = { id: mintCallSid(), accountSid, login, flow, request, media };
  const live = calls.add(createInboundLeg(signalling, call));
  void live.leg.whenAnswered.then((answered) => answered && live.report({ type: "answered" }));
  live.run((signal) =>
    live.ask({ ...incoming(request), login, clientSid }, {
      signal,
      onUnreachable: () => live.leg.hangup({ status: 503 }),
    })
  );
}

/** Only a registered Client may call, with its own name in From. */
async function admit(
  { calls: { signalling }, authenticator, accepting }: InviteOptions,
  { message }: IncomingInviteRequest,
): Promise<Identity> {
  if (!accepting()) return { refusal: unavailable };
  if (message.body !== "" && message.parseHeader("content-type") !== "application/sdp") {
    return { refusal: { statusCode: 415, extraHeaders: ["Accept: application/sdp"] } };
  }
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
  const { displayNameLength, passedHeaders, passedHeaderLength } = sipLimits;
  const displayName = plainName(message.from.displayName, displayNameLength);
  const passed = Object.entries(message.headers)
    .filter(([name]) => /^(x-|user-to-user$)/i.test(name))
    .slice(0, passedHeaders)
    .map(([name, values]) => [name, plainText(values[0]?.raw ?? "", passedHeaderLength)]);
  return {
    type: "incoming",
    uri: originOf(message).target.split("?")[0] ?? "",
    sipCallId: message.callId,
    headers: Object.fromEntries(passed),
    ...displayName === "" ? {} : { displayName },
  };
}
