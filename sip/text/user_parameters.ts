import type { IncomingRequestMessage, URI } from "../base/sip_js.ts";
import { userParameter, withoutParameter } from "../../core/base/user_part.ts";
import { sipLimits } from "../base/limits.ts";
import { plainText } from "./plain_text.ts";
import { parseNameAddr, parseUri, userOf, userPartOf } from "./uri.ts";
import { originOf } from "./origin.ts";
import { assertedAddresses, forwardingOf, hidesCaller, isFromAnonymous } from "./privacy.ts";

/** Parameters of the user parts of a request beside numbers. */
export interface NumberParameters {
  /** By the name of the header, or `Request-URI`: parameters as they were written, without `verstat`. */
  userParameters?: Record<string, string>;
  /** `verstat` of the caller's number (3GPP TS 24.229 §7.2A.20), such as `TN-Validation-Passed`. */
  verstat?: string;
}

/**
 * The parameters of numbers in a request (RFC 3261 §19.1.6). Those of the caller are left out where it asks
 * to be anonymous. `verstat` counts where `isTrusted`: any other peer may write any value.
 */
export function numberParametersOf(
  message: IncomingRequestMessage,
  { isTrusted }: { isTrusted: boolean },
): NumberParameters {
  const from = message.from.uri;
  const asserted = assertedAddresses(message).map(({ uri }) => uri);
  const forwarding = forwardingOf(message);
  const isHidden = hidesCaller(message);
  const named: Record<string, URI | undefined> = {
    "Request-URI": parseUri(originOf(message).target),
    "P-Called-Party-ID": parseNameAddr(message.getHeader("p-called-party-id") ?? "")?.uri,
    To: message.to.uri,
    ...!isHidden && { From: from, "P-Asserted-Identity": asserted[0] },
    ...forwarding && { [forwarding.header]: forwarding.uri },
  };
  const found = Object.entries(named).flatMap(([name, uri]) => {
    const written = uri === undefined
      ? ""
      : withoutParameter(userPartOf(uri).parameters, "verstat");
    return written === "" || written.length > sipLimits.passedHeaderLength
      ? []
      : [[name, plainText(written, sipLimits.passedHeaderLength)] as const];
  });
  const verstat = isTrusted
    ? verstatOf(from, asserted, isHidden || isFromAnonymous(message))
    : undefined;
  return {
    ...found.length > 0 && { userParameters: Object.fromEntries(found) },
    ...verstat !== undefined && { verstat: verstat + levelOf(message, verstat) },
  };
}

const verstatValue = /^[A-Za-z0-9\-_.]{1,64}$/;

/** Of From, else of an asserted identity of the number that is shown; of that first where From is anonymous. */
function verstatOf(from: URI, asserted: URI[], isAnonymous: boolean): string | undefined {
  const digits = (uri: URI) => userOf(uri).replaceAll(/\D/g, "");
  const shown = digits(from);
  const uris = isAnonymous
    ? [...asserted, from]
    : [from, ...asserted.filter((uri) => digits(uri) === shown)];
  return uris
    .map((uri) => userParameter(userPartOf(uri), "verstat"))
    .find((value) => value !== undefined && verstatValue.test(value));
}

/**
 * The level of attestation that a verification without one lacks, such as `-A`: of Attestation-Info (3GPP TS
 * 24.229 §7.2.18), else of the PASSporT in Identity (RFC 8224, RFC 8588). The trunk vouches for it, as for
 * `verstat`.
 */
function levelOf(message: IncomingRequestMessage, verstat: string): string {
  if (!/^TN-Validation-(?:Passed|Failed)$/.test(verstat)) return "";
  const told = message.getHeader("attestation-info")?.trim() ?? attested(message);
  return told !== undefined && /^[ABC]$/.test(told) ? `-${told}` : "";
}

/** Claims of a PASSporT take less. */
const claimsLength = 4_096;

function attested(message: IncomingRequestMessage): string | undefined {
  const claims = /^[\w-]+\.([\w-]+)\./.exec(message.getHeader("identity")?.trim() ?? "")?.[1];
  if (claims === undefined || claims.length > claimsLength) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(claims, { alphabet: "base64url" });
    return /"attest"\s*:\s*"([ABC])"/.exec(new TextDecoder().decode(bytes))?.[1];
  } catch {
    return undefined; // No PASSporT.
  }
}
