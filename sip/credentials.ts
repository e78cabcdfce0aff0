import type { Credentials } from "../core/bridge.ts";
import { sipLimits } from "./limits.ts";
import type { ServiceLink } from "./service_link.ts";

/** Looks up who has a login; null for nobody. Rejects when the service is out of reach. */
export interface CredentialsCache {
  lookup(login: string): Promise<Credentials | null>;
  forget(login: string): void;
}

interface Entry {
  answer: Promise<Credentials | null>;
  until: number;
  isForgotten: boolean;
}

/** Asks the service once for all who wait, and keeps the answer for a short while. */
export function createCredentialsCache(
  service: Pick<ServiceLink, "credentials">,
  now: () => number = Date.now,
): CredentialsCache {
  const entries = new Map<string, Entry>();

  const ask = (login: string): Promise<Credentials | null> => {
    // What was asked before the login changed may be answered after it.
    const answer = service.credentials(login)
      .then((found) => entry.isForgotten ? cache.lookup(login) : found);
    const entry: Entry = { answer, until: Number.POSITIVE_INFINITY, isForgotten: false };
    entries.set(login, entry);
    entry.answer.then((found) => {
      const ttl = found ? sipLimits.credentialsTtlMs : sipLimits.unknownLoginTtlMs;
      entry.until = now() + ttl;
    }, () => entries.get(login) === entry && entries.delete(login));
    const [oldest] = entries.keys();
    if (entries.size > sipLimits.cachedLogins && oldest !== undefined) entries.delete(oldest);
    return entry.answer;
  };

  const cache: CredentialsCache = {
    lookup(login) {
      const known = entries.get(login);
      return known !== undefined && known.until > now() ? known.answer : ask(login);
    },
    forget(login) {
      const known = entries.get(login);
      if (known !== undefined) known.isForgotten = true;
      entries.delete(login);
    },
  };
  return cache;
}
