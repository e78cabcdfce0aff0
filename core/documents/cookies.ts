/**
 * Cookies of requests for markup, stored by Twilio's rule: by account, host, and pair of From and To.
 * A session of an application server (PHP, Flask, Express) so goes on from text to text and from
 * document to document of a call. Status callbacks take no part: they are sent in an order of their own,
 * and repeated.
 */
import { cookieHeader, withSetCookies } from "../base/cookies.ts";
import type { Answer, OutgoingRequest } from "../base/outgoing.ts";
import type { CookieOwner, Ports } from "../model/ports/ports.ts";

/** The call or text that cookies belong to; their host follows from each request. */
export type CookieSubject = Pick<CookieOwner, "accountSid" | "from" | "to" | "callSid">;

/** The cookies of one request and of those that redirects lead to. */
export interface Cookies {
  /** The request with the cookies of its host, and with no others. */
  added(request: OutgoingRequest): Promise<OutgoingRequest>;
  /** Keeps what the response sets. */
  take(url: URL, answer: Pick<Answer, "headers">): Promise<void>;
}

/** Values in place of a withheld number: such callers cannot be distinguished. */
const withheld =
  /^(?:sips?:)?(?:anonymous|restricted|unknown|unavailable|private|withheld)?(?:@[^@]*)?$/i;

/** Hosts of anonymous addresses (RFC 3323 §4.1.1.3, RFC 2606). */
const anonymousHost = /\.invalid(?:[:;][^@]*)?$/i;

/**
 * Cookies of a call or text. A caller who withholds the number has cookies for the call alone, and no
 * text: the next one may be from another caller. A store that fails costs the cookies, not the request.
 */
export function cookiesOf(
  subject: CookieSubject,
  tenant: string,
  { cookies: store, now, steadyNow, log }: Pick<Ports, "cookies" | "now" | "steadyNow" | "log">,
): Cookies | null {
  const { accountSid, callSid } = subject;
  const isWithheld = withheld.test(subject.from) || anonymousHost.test(subject.from);
  if (isWithheld && callSid === null) return null;
  const from = isWithheld ? `anonymous ${callSid}` : subject.from;
  const ownerAt = (url: URL): CookieOwner => ({ ...subject, from, tenant, host: url.host });
  const failed = (error: unknown) =>
    log("Cannot keep or read cookies of an application server", { accountSid, callSid, error });
  return {
    async added(request) {
      const { url, headers: { cookie: _, ...headers } } = request;
      const kept = await store.get(ownerAt(url)).catch((error) => (failed(error), []));
      const cookie = cookieHeader(kept, { url, steadyNow: steadyNow() });
      return { ...request, headers: cookie === null ? headers : { ...headers, cookie } };
    },
    async take(url, { headers }) {
      const set = headers.filter(([name]) => name === "set-cookie").map(([, value]) => value);
      if (set.length === 0) return;
      const setting = { url, now: now(), steadyNow: steadyNow() };
      await store.change(ownerAt(url), (kept) => withSetCookies(kept, set, setting)).catch(failed);
    },
  };
}
