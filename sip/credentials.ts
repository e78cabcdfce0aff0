import type { Credentials } from "../core/bridge.ts";
import { sipLimits } from "./limits.ts";
import { networkOf } from "./lockout.ts";
import type { ServiceLink } from "./service_link.ts";

/**
 * Looks up who has a login; null for nobody. Rejects when the service is out of reach, and when too
 * many look-ups for the host that names the login are under way.
 */
export interface CredentialsCache {
  lookup(login: string, host?: string): Promise<Credentials | null>;
  forget(login: string): void;
}

/** Asks the service once for all who wait, and keeps the answer for a short while. */
export function createCredentialsCache(
  service: Pick<ServiceLink, "credentials">,
  now: () => number = Date.now,
): CredentialsCache {
  const entries = new Map<string, { answer: Promise<Credentials | null>; until: number }>();

  const asking = new Map<string, number>();
  /** Asks on behalf of a host, so that none fills the service with names of its invention. */
  const askFor = async (login: string, host: string): Promise<Credentials | null> => {
    const network = networkOf(host);
    const underWay = asking.get(network) ?? 0;
    if (underWay >= sipLimits.lookupsAtOnce) throw new Error("Cannot look a login up: too many");
    asking.set(network, underWay + 1);
    try {
      return await service.credentials(login);
    } finally {
      const left = (asking.get(network) ?? 0) - 1;
      if (left > 0) asking.set(network, left);
      else asking.delete(network);
    }
  };

  const ask = (login: string, host: string | undefined): Promise<Credentials | null> => {
    const entry = {
      answer: host === undefined ? service.credentials(login) : askFor(login, host),
      until: Number.POSITIVE_INFINITY,
    };
    entries.set(login, entry);
    entry.answer.then((found) => {
      const ttl = found ? sipLimits.credentialsTtlMs : sipLimits.unknownLoginTtlMs;
      entry.until = now() + ttl;
    }, () => entries.get(login) === entry && entries.delete(login));
    const [oldest] = entries.keys();
    if (entries.size > sipLimits.cachedLogins && oldest !== undefined) entries.delete(oldest);
    return entry.answer;
  };

  return {
    lookup(login, host) {
      const known = entries.get(login);
      return known !== undefined && known.until > now() ? known.answer : ask(login, host);
    },
    forget: (login) => void entries.delete(login),
  };
}
