import type { IncomingRequestMessage } from "../base/sip_js.ts";
import { authenticate, type Authenticator, type Identity } from "./authenticate.ts";
import { originOf } from "../text/origin.ts";
import { hidesCaller, isFromAnonymous } from "../text/privacy.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { Refusal } from "../base/refusal.ts";
import { userOf } from "../text/uri.ts";
import { warning } from "../base/warning.ts";

const forbidden = (domain: string, reasonPhrase: string, text: string): Refusal => ({
  statusCode: 403,
  reasonPhrase,
  extraHeaders: [warning(domain, text)],
});

/** An anonymous caller may have an anonymous From (RFC 3323 §4.1.1.3); the digest identifies it. */
const isHidden = (message: IncomingRequestMessage): boolean =>
  message.method === "INVITE" && hidesCaller(message) && isFromAnonymous(message);

/**
 * Identifies the sender of a request that is passed on. It has to be a registered Client with its own
 * name in From. Its connection counts as authenticated from then on.
 */
export async function authenticateCaller(
  { location, domain }: Signalling,
  authenticator: Authenticator,
  message: IncomingRequestMessage,
): Promise<Identity> {
  const origin = originOf(message);
  const identity = await authenticate(authenticator, { message, ...origin }, "proxy");
  if ("refusal" in identity) return identity;
  if (userOf(message.from.uri) !== identity.login && !isHidden(message)) {
    const text = `Cannot call as ${userOf(message.from.uri)} with the password of ` +
      `${identity.login}: set user name and authentication name of the phone to the same Login`;
    return { refusal: forbidden(domain, "From Is Not The Caller", text) };
  }
  if (location.find(identity.login).length === 0) {
    const text = `Cannot call before ${identity.login} is registered: switch registration on`;
    return { refusal: forbidden(domain, "Not Registered", text) };
  }
  origin.flow.logins.add(identity.login);
  return identity;
}
