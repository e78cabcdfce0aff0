import type { Credentials } from "../../core/protocol/companion.ts";
import { sipLimits } from "../base/limits.ts";
import { networkOf } from "../../core/net/networks.ts";
import type { ServiceLink } from "../service/service_link.ts";

/**
 * Looks up who has a login; null for nobody. Rejects when the service is out of reach, and when too
 * many look-ups for the host that names the login are under way.
 */
export interface CredentialsCache {
  /** What needs no asking; undefined where it does. */
  known(login: string): Credentials | null | undefined;
  lookup(login: string, host?: string): Promise<Credentials | null>;
  forget(login: string): void;
}

interface Entry {
  answer: Promise<Credentials | null>;
  /** The answer, once it is there. */
  found: Credentials | null | undefined;
  /** In ms: when to ask again, and until when it will do if nobody answers then. */
  freshUntil: number;
  usableUntil: number;
  isForgotten: boolean;
}

/**
 * Asks the service once for all who wait, and keeps the answer for a short while; through an outage
 * of the service for longer, so that phones stay registered.
 */
export function createCredentialsCache(
  service: Pick<ServiceLink, "credentials">,
  now: () => number = Date.now,
): CredentialsCache {
  const entries = new Map<string, Entry>();

  /** What was known before, where asking again has failed. */
  const fallBack = async (login: string, entry: Entry, before: Entry | undefined, why: unknown) => {
    const isUsable = before !== undefined && !entry.isForgotten && now() < before.usableUntil;
    if (entries.get(login) === entry) {
      if (isUsable) entries.set(login, before);
      else entries.delete(login);
    }
    if (!isUsable) throw why;
    return await before.answer;
  };

  const askService = async (login: string): Promise<Credentials | null> =>
    (await service.credentials({ login })).credentials;
  const asking = new Map<string, number>();
  /** Asks on behalf of a host, so that none fills the service with names of its invention. */
  const askFor = async (login: string, host: string): Promise<Credentials | null> => {
    const network = networkOf(host);
    const underWay = asking.get(network) ?? 0;
    if (underWay >= sipLimits.lookupsOfAddress) throw new Error("Cannot look a login up: too many");
    asking.set(network, underWay + 1);
    try {
      return await askService(login);
    } finally {
      const left = (asking.get(network) ?? 0) - 1;
      if (left > 0) asking.set(network, left);
      else asking.delete(network);
    }
  };

  const ask = (login: string, host: string | undefined): Promise<Credentials | null> => {
    const before = entries.get(login);
    const answered = host === undefined ? askService(login) : askFor(login, host);
    const asked = answered.then((found) => {
      // What was asked before the login changed may be answered after it.
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
