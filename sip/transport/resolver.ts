import { lookedUpFor, names } from "../../core/machine/net/names.ts";
import { sipLimits } from "../base/limits.ts";

/** SRV record: location of a service (RFC 2782). */
export interface SrvRecord {
  priority: number;
  weight: number;
  port: number;
  target: string;
}

/** NAPTR record: services of a domain (RFC 3403). */
export interface NaptrRecord {
  order: number;
  preference: number;
  services: string;
  replacement: string;
}

/** DNS queries of RFC 3263; the result is empty where there is no record. */
export interface Resolver {
  naptr(name: string): Promise<NaptrRecord[]>;
  srv(name: string): Promise<SrvRecord[]>;
  /** Of both families, IPv4 first, with what the hosts file says. */
  addresses(name: string): Promise<string[]>;
}

/** Queries the name servers of the system. One without NAPTR or SRV may not respond. */
export const systemResolver: Resolver = {
  ...serviceResolver(),
  addresses: async (name) => {
    const found = await names.addressesOf(name, sharer()).catch(none);
    return found.map(({ address }) => address);
  },
};

/**
 * Asks for services, by default the name servers of the system. Nothing is kept here, so that a change
 * counts as soon as its time to live in the name server is over.
 */
export function serviceResolver(
  nameServer?: { ipAddr: string; port: number },
): Pick<Resolver, "naptr" | "srv"> {
  const options = () => ({
    signal: AbortSignal.timeout(sipLimits.dnsQueryMs),
    ...nameServer && { nameServer },
  });
  return {
    naptr: (name) => shared(() => Deno.resolveDns(name, "NAPTR", options())).catch(none),
    srv: (name) => shared(() => Deno.resolveDns(name, "SRV", options())).catch(none),
  };
}

/** Names in SIP messages without an account share the look-ups of one tenant. */
const sharer = () => lookedUpFor() ?? "SIP";

const shared = <T>(work: () => Promise<T>): Promise<T> => names.query(work, sharer());

const none = (): never[] => [];

/** A name of DNS without the dot that ends it. */
export const withoutDot = (name: string): string => name.replace(/\.$/, "");

/**
 * The lowest priority first; within one, at random by weight (RFC 2782); no more than are tried. An
 * answer of a tenant's name server has thousands.
 */
export function bySrv(records: SrvRecord[], random: () => number): SrvRecord[] {
  // A target that is the root says that there is no service.
  const left = records.filter(({ target }) => withoutDot(target) !== "")
    .toSorted((a, b) => a.priority - b.priority || a.weight - b.weight);
  const ordered: SrvRecord[] = [];
  for (let [first] = left; first !== undefined; [first] = left) {
    if (ordered.length >= sipLimits.targets) break;
    const lowest = first.priority;
    const equal = left.filter(({ priority }) => priority === lowest);
    let drawn = Math.floor(random() * (equal.reduce((sum, { weight }) => sum + weight, 0) + 1));
    const next = equal.find(({ weight }) => (drawn -= weight) <= 0) ?? first;
    left.splice(left.indexOf(next), 1);
    ordered.push(next);
  }
  return ordered;
}
