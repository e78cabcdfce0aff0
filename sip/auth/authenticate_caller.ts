import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import { authenticate, type Authenticator, type Identity } from "./authenticate.ts";
import { originOf } from "../origin.ts";
import { hidesCaller, namesNobody } from "../privacy.ts";
import type { Signalling } from "../signalling.ts";
import { userOf } from "../text/uri.ts";

/** Who wants to be nobody may say so in From too (RFC 3323 §4.1.1.3); the digest tells who calls. */
const isHidden = (message: IncomingRequestMessage): boolean =>
  message.method === "INVITE" && hidesCaller(message) && namesNobody(message);

/**
 * Who sends a request that goes on to others: only a registered Client may, with its own name in
 * From. Its connection is trusted from then on.
 */
export async function authenticateCaller(
  { location }: Signalling,
  authenticator: Authenticator,
  message: IncomingRequestMessage,
): Promise<Identity> {
  const origin = originOf(message);
  const identity = await authenticate(authenticator, { message, ...origin }, "proxy");
  if ("refusal" in identity) return identity;
  if (userOf(message.from.uri) !== identity.login && !isHidden(message)) {
    return { refusal: { statusCode: 403, reasonPhrase: "From Is Not The Caller" } };
  }
  if (location.find(identity.login).length === 0) {
    return { refusal: { statusCode: 403, reasonPhrase: "Not Registered" } };
  }
  origin.flow.logins.add(identity.login);
  return identity;
}
