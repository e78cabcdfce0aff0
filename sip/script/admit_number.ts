import type { IncomingRequestMessage } from "../base/sip_js.ts";
import type { FoundNumber, IncomingNumber } from "../../core/protocol/trunks.ts";
import type { Admitted, Caller } from "../contracts/caller.ts";
import { numberCalledBy } from "../leg/inner_flow.ts";
import { sipLimits } from "../base/limits.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import { plainName, plainText } from "../text/plain_text.ts";
import { forwarderOf, identityOf } from "../text/privacy.ts";
import { numberParametersOf } from "../text/user_parameters.ts";
import { unavailable } from "../base/refusal.ts";
import type { ServiceLink } from "../service/service_link.ts";
import { originOf } from "../text/origin.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { mayBeUssd, ussdIn } from "../text/ussd_body.ts";
import type { TrunkSource } from "../contracts/trunk_sources.ts";
import { parseNameAddr, parseUri, userOf } from "../text/uri.ts";

/**
 * Lets in a call for a number: of another leg of ours, or of a trunk, once the service has said whose
 * number it is. Undefined for any other call.
 */
export async function admitNumber(
  { sources }: Signalling,
  link: Pick<ServiceLink, "number">,
  message: IncomingRequestMessage,
): Promise<Admitted | undefined> {
  const origin = originOf(message);
  const within = numberCalledBy(origin.flow);
  if (within !== undefined) return callerFor(message, within, within.hops);
  const source = sources.of(origin);
  if (source === undefined) return undefined;
  const ussd = isCall(message) ? undefined : ussdIn({
    contentType: message.getHeader("content-type") ?? "",
    content: message.body,
  });
  if (ussd === undefined && !isCall(message)) {
    return { refusal: { statusCode: 400, reasonPhrase: "Needs A USSD Body" } };
  }
  const found = await numberOf(link, message, source, ussd?.said.text).catch(() => undefined);
  if (found === undefined) return { refusal: unavailable };
  if (found === null) return { refusal: { statusCode: 404 } };
  if (!found.allowed) return { refusal: { statusCode: 403 } };
  // A trunk takes the place of no call here, and a call beside it is not what it asked for (RFC
  // 3891 §3).
  if (message.hasHeader("replaces")) return { refusal: { statusCode: 481 } };
  const admitted = callerFor(message, found, 0);
  const gatewayOf = source.gateway?.accountSid;
  const brought = {
    ...admitted.event,
    ...numberParametersOf(message, { isTrusted: true }),
    ...gatewayOf !== undefined && { gatewayOf },
  };
  const caller = { ...admitted, event: brought, trunk: source.trunk };
  if (ussd === undefined) return caller;
  const { sdp: ussdOffer, said: { text, language } } = ussd;
  const event = { ...caller.event, ussd: { text, ...language !== undefined && { language } } };
  return { ...caller, event, ussdOffer };
}

/** True when it is about media, and no USSD dialogue. */
const isCall = (message: IncomingRequestMessage): boolean =>
  message.body === "" || !mayBeUssd(message.getHeader("content-type") ?? "");

async function numberOf(
  link: Pick<ServiceLink, "number">,
  message: IncomingRequestMessage,
  source: TrunkSource,
  code: string | undefined,
): Promise<FoundNumber | null> {
  const codes = code === undefined || code === "" || code.length > 256 ? [] : [code];
  const dialled = [...new Set([...codes, ...dialledBy(message, source)])];
  if (dialled.length === 0) return null;
  return (await link.number({ dialled, gateway: source.gateway })).number;
}

/** Candidates for the number that a trunk's request is for, likeliest first. */
export function dialledBy(
  message: IncomingRequestMessage,
  { contactUser }: Pick<TrunkSource, "contactUser">,
): string[] {
  const uris = [
    parseUri(originOf(message).target),
    parseNameAddr(message.getHeader("p-called-party-id") ?? "")?.uri,
    message.to.uri,
  ];
  const users = uris.map((uri) => uri === undefined ? "" : userOf(uri))
    .filter((user) => user !== "" && user !== contactUser && user.length <= 256);
  return [...new Set(users)];
}

function callerFor(
  message: IncomingRequestMessage,
  number: Pick<FoundNumber, "accountSid" | "tenant" | "numberSid" | "dialled">,
  hops: number,
): Caller & { event: IncomingNumber } {
  const { accountSid, tenant, numberSid, dialled } = number;
  const { displayName, user, host } = identityOf(message);
  const name = plainName(displayName, sipLimits.displayNameLength);
  const forwardedFrom = forwarderOf(message);
  const event: IncomingNumber = {
    type: "incomingNumber",
    numberSid,
    dialled,
    from: { user: plainText(user, sipLimits.displayNameLength), host },
    ...name !== "" && { displayName: name },
    ...forwardedFrom && {
      forwardedFrom: plainText(forwardedFrom, sipLimits.displayNameLength),
    },
    hops,
    sipCallId: message.callId,
    headers: passedHeaders(message),
  };
  return { accountSid, tenant, login: undefined, event };
}
