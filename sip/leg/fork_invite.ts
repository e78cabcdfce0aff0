import type { URI } from "../base/sip_js.ts";
import type { Target } from "../../core/protocol/script.ts";
import { ussdHeaders, type UssdInvitation, writeUssdInvitation } from "../text/ussd_body.ts";
import { isHeaderSafe, isToken } from "../text/grammar.ts";
import type { CallerDemands } from "../contracts/caller.ts";
import type { OutboundCall } from "./outbound_state.ts";
import { anonymousUri } from "../text/privacy.ts";
import { parseSipUri, userOf, userUri } from "../text/uri.ts";

/** Common part of the INVITEs to all devices of a Client. */
export interface ForkInvite {
  callId: string;
  from: URI;
  to: URI;
  maxForwards: number;
  /** Whole header lines. */
  headers: string[];
  /** The body that begins a USSD dialogue, in place of SDP of ours. */
  ussd?: UssdInvitation;
}

export function forkInvite(
  domain: string,
  call: Pick<OutboundCall, "invitation" | "maxForwards" | "headers" | "demands">,
  callId: string,
): ForkInvite {
  const { invitation: { from, target, headers, ussd }, maxForwards } = call;
  const { isHidden } = call.demands;
  return {
    callId,
    maxForwards,
    from: isHidden ? anonymousUri() : userUri(callerUser(from), domain),
    to: userUri(calledUser(target), domain),
    headers: [
      ...isHidden ? ["Privacy: id"] : [],
      ...headerLines(headers ?? {}),
      ...ussd ? ussdHeaders : [],
      ...call.headers,
    ],
    ...ussd && { ussd: writeUssdInvitation(ussd.message, ussd.collect ? "ask" : "tell") },
  };
}

/** A Request-URI that demands TLS of every proxy on the way. */
export function secured(uri: URI, { isSecure }: CallerDemands): URI {
  if (isSecure) uri.scheme = "sips";
  return uri;
}

/** The user part of a target. */
function calledUser(target: Target): string {
  if (target.kind === "client") return target.login;
  return target.kind === "leg" ? target.leg : target.dialled;
}

/** The user part of a caller: of `client:alice`, `sip:alice@example.com` or `+15550001`. */
export function callerUser(from: string): string {
  const uri = parseSipUri(from);
  return uri === undefined ? from.replace(/^client:/, "") : userOf(uri);
}

/** Only what may stand in an INVITE; a line end in a value would begin another header. */
export function headerLines(headers: Record<string, string>): string[] {
  return Object.entries(headers)
    .filter(([name, value]) => isToken(name) && isHeaderSafe(value))
    .filter(([name]) => /^(x-|user-to-user$)/i.test(name))
    .map(([name, value]) => `${name}: ${value}`);
}
