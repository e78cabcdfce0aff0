import type { IncomingRequestMessage } from "../base/sip_js.ts";
import { sipLimits } from "../base/limits.ts";
import type { Refusal } from "../base/refusal.ts";
import { userOf } from "../text/uri.ts";
import { warning } from "../base/warning.ts";

/** The refusal of an address that is none of ours (RFC 3261 §10.3 step 5). */
export function otherDomain(domain: string, { to }: IncomingRequestMessage): Refusal {
  const text = `Cannot register an address at ${to.uri.host}: ` +
    `set the domain of the phone to ${domain} (SIP_DOMAIN)`;
  return {
    statusCode: 404,
    reasonPhrase: `Domain Is Not ${domain}`,
    extraHeaders: [warning(domain, text)],
  };
}

/** The refusal to register the address of another Client. */
export function otherLogin(domain: string, { to }: IncomingRequestMessage, login: string): Refusal {
  const text = `Cannot register ${userOf(to.uri)} with the password of ${login}: ` +
    "set user name and authentication name of the phone to the same Login";
  return {
    statusCode: 403,
    reasonPhrase: "Address Is Not The Login",
    extraHeaders: [warning(domain, text)],
  };
}

/**
 * The refusal of more addresses at once than a Client may have. It is no 403: phones take that for a
 * wrong account and give up (RFC 3261 §21.4.4).
 */
export function tooManyContacts(domain: string): Refusal {
  const text =
    `Cannot register more than ${sipLimits.bindingsPerClient} addresses of one Client: ` +
    "register fewer at once";
  return {
    statusCode: 503,
    reasonPhrase: "Too Many Contacts",
    extraHeaders: [warning(domain, text), `Retry-After: ${sipLimits.registrationMinS}`],
  };
}
