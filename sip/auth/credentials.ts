import { steadyNow } from "../../core/base/steady_clock.ts";
import type { Credentials } from "../../core/protocol/companion.ts";
import { sipLimits } from "../base/limits.ts";
import { networkOf } from "../../core/base/networks.ts";
import type { ServiceLink } from "../service/service_link.ts";

/**
 * Credentials by login; null when no Client has it. A look-up rejects when the service is out of
 * reach, and when too many look-ups for the host that names the login are under way.
 */
export interface CredentialsCache {
  /** Cached credentials; undefined where a query to the service is needed. */
  known(login: string): Credentials | null | undefined;
  lookup(login: string, host?: string): Promise<Credentials | null>;
  forget(login: string): void;
}

interface Entry {
  answer: Promise<Credentials | null>;
  /** The answer, once it is there. */
  found: Credentials | null | undefined;
  /** Times in ms: of the next query, and of expiry while the service is out of reach. */
  freshUntil: number;
  usableUntil: number;
  isForgotten: boolean;
}

/** A request to the service for the credentials of a login, on behalf of a host where one is given. */
type Request = (login: string, host: string | undefined) => Promise<Credentials | null>;

/**
 * Requests on behalf of a network are bounded (`lookupsOfAddress`), so that no host fills the service
 * with logins of its invention. Rejects beyond the bound.
 */
function createRequest(service: Pick<ServiceLink, "credentials">): Request {
  const underWay = new Map<string, number>();
  const request = async (login: string): Promise<Credentials | null> =>
    (await service.credentials({ login })).credentials;
  return async (login, host) => {
    if (host === undefined) return await request(login);
    const network = networkOf(host);
    const count = underWay.get(network) ?? 0;
    if (count >= sipLimits.lookupsOfAddress) throw new Error("Cannot look a login up: too many");
    underWay.set(network, count + 1);
    try {
      return await request(login);
    } finally {
      const left = (underWay.get(network) ?? 0) - 1;
      if (left > 0) underWay.set(network, left);
      else underWay.delete(network);
    }
  };
}

/**
 * Requests the credentials of a login from the service once for all that wait for them, and keeps the
 * answer for a short while; during an outage of the service for longer, so that phones stay registered.
 */
export function createCredentialsCache(
  service: Pick<ServiceLink, "credentials">,
  now: () => number = steadyNow,
): CredentialsCache {
  const entries = new Map<string, Entry>();
  const request = createRequest(service);

  /** Falls back to the cached answer when a query has failed. */
  const fallBack = async (login: string, entry: Entry, before: Entry | undefined, why: unknown) => {
    const isUsable = before !== undefined && !entry.isForgotten && now() < before.usableUntil;
    if (entries.get(login) === entry) {
      if (isUsable) entries.set(login, before);
      else entries.delete(login);
    }
    if (!isUsable) throw why;
    return await before.answer;
  };

  const ask = (login: string, host: string | undefined): Promise<Credentials | null> => {
    const before = entries.get(login);
    const asked = request(login, host).then((found) => {
      // The response to a query from before a change of the login may arrive after it.
      if (entry.isForgotten) return cache.lookup(login, host);
      entry.found = found;
      entry.freshUntil = now() + (found ? sipLimits.credentialsTtlMs : sipLimits.unknownLoginTtlMs);
      entry.usableUntil = now() + sipLimits.credentialsGraceMs;
      return found;
    });
    const entry: Entry = {
      answer: asked.catch((why) => fallBack(login, entry, before, why)),
      found: undefined,
      freshUntil: Number.POSITIVE_INFINITY, // While it is under way.
      usableUntil: Number.POSITIVE_INFINITY,
      isForgotten: false,
    };
    entries.set(login, entry);
    const [oldest] = entries.keys();
    if (entries.size > sipLimits.cachedLogins && oldest !== undefined) entries.delete(oldest);
    return entry.answer;
  };

  const fresh = (login: string): Entry | undefined => {
    const entry = entries.get(login);
    return entry !== undefined && now() < entry.freshUntil ? entry : undefined;
  };
  const cache: CredentialsCache = {
    known: (login) => fresh(login)?.found,
    lookup: (login, host) => fresh(login)?.answer ?? ask(login, host),
    forget(login) {
      const known = entries.get(login);
      if (known !== undefined) known.isForgotten = true;
      entries.delete(login);
    },
  };
  return cache;
}
