import { AsyncLocalStorage } from "node:async_hooks";
import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { limits } from "../../base/limits.ts";
import { createNameServers, type NameServersOptions, NoPlace } from "./name_servers.ts";
import { createShares } from "../../base/shares.ts";

/**
 * Addresses of host names, from the machine's name servers by the runtime's own resolver.
 *
 * `getaddrinfo`, which `fetch` and `node:net` use by themselves, holds one of the runtime's 32 blocking
 * threads until a name server answers, also when the caller has given up; reads of files wait for
 * the same threads. The runtime's resolver holds a socket alone, and frees it when a query is given up.
 *
 * | Resolver                               | A name without an answer holds | Given up                |
 * | -------------------------------------- | ------------------------------ | ----------------------- |
 * | `getaddrinfo`, few at once of a tenant | a thread, for 10 s and more    | goes on                 |
 * | own code on UDP sockets                | a socket                       | at once; bytes to read  |
 * | `node:dns` `Resolver` (chosen)         | a socket; 100 names: no thread | at once; socket closed  |
 *
 * With `getaddrinfo`, 60 callbacks of one account to such names held 29 threads. A call of another
 * account waited for more than 5 s and ended, and its callbacks came after 13.7 s. `fetch` takes no
 * resolver, so all requests go by `node:http` and `node:https`, those to the operator's endpoints too.
 * Deno KV resolves the name of KV_URL by itself.
 *
 * The chosen resolver reads the hosts file and resolv.conf, search domains and `ndots` included, before
 * each query, and asks again over TCP where an answer is truncated. Other sources of nsswitch.conf do not count.
 *
 * - The runtime gives a query that can be given up one second, and sends it twice. For slower name
 *   servers another query follows, which has the time that resolv.conf says and cannot be given up; few
 *   of those run at once.
 * - Where resolv.conf names no server, or the runtime cannot read it, `getaddrinfo` is used after all,
 *   by few threads at once and fewer of a tenant.
 * - The hosts file costs each query 40 µs, and 25 ms with 10,000 lines.
 * - The companion knows the accounts of its legs. It learns the tenant of a sub-account with the answer
 *   to a heartbeat; for up to 5 s before, the sub-account counts by itself.
 */
export interface Names {
  /**
   * The addresses of a host, IPv4 first; an IP address is its own. Rejects within
   * `limits.nameLookupMs`, and as long for a place, with an Error that names the host and the cause.
   * Answers are cached for their time to live, at most `limits.nameCacheMs`, failures for
   * `limits.nameFailureCacheMs`. `tenant` is the account right under the root that the look-up counts
   * for: that of `lookingFor` unless given, and neither for names of the configuration.
   */
  addressesOf(host: string, tenant?: string): Promise<readonly LookupAddress[]>;
  /** Does other queries of name servers in the tenant's share. Rejects where no place is free in time. */
  query<T>(work: () => Promise<T>, tenant?: string): Promise<T>;
}

const tenants = new AsyncLocalStorage<string>();

/** Does work whose look-ups count for a tenant. */
export const lookingFor = <T>(tenant: string, work: () => T): T => tenants.run(tenant, work);

/** The tenant that the look-ups of the work at hand count for. */
export const lookedUpFor = (): string | undefined => tenants.getStore();

export interface NamesOptions extends NameServersOptions {
  /** In ms, never set back. */
  now?(): number;
}

interface Kept {
  until: number;
  result: readonly LookupAddress[] | Error;
}

/** Looks names up; the first look-up starts the resolver. */
export function createNames(
  { now = () => performance.now(), ...options }: NamesOptions = {},
): Names {
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();
  const places = createShares({ most: limits.nameLookups, each: limits.nameLookupsOfTenant });
  const ask = createNameServers(options);

  /** The cached answer about a name, or the look-up that runs. */
  function known(name: string): Promise<readonly LookupAddress[]> | undefined {
    const entry = kept.get(name);
    if (entry === undefined || entry.until <= now()) return underWay.get(name);
    const { result } = entry;
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  }

  function keep(name: string, result: Kept["result"], ms: number): void {
    kept.delete(name);
    const [oldest] = kept.keys();
    if (kept.size >= limits.cachedNames && oldest !== undefined) kept.delete(oldest);
    kept.set(name, { until: now() + ms, result });
  }

  async function look(name: string, tenant: string | undefined) {
    try {
      const found = await ask(name, tenant);
      const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1_000;
      const addresses = found.map(({ address }) => ({ address, family: isIP(address) }));
      keep(name, addresses, Math.min(ttlMs, limits.nameCacheMs));
      return addresses;
    } catch (cause) {
      const failure = unresolved(name, (cause as Error).message, cause);
      if (!isOfTenant(failure)) keep(name, failure, limits.nameFailureCacheMs);
      throw failure;
    } finally {
      underWay.delete(name);
    }
  }

  return {
    async addressesOf(host, tenant = lookedUpFor()) {
      const family = isIP(host);
      if (family !== 0) return [{ address: host, family }];
      const name = host.toLowerCase();
      if (name.length > limits.hostLength + 1) throw unresolved(host, "it is too long");
      const before = await known(name)?.catch(unlessOfTenant);
      if (before !== undefined) return before;
      const leave = await places.wait(tenant, limits.nameLookupMs);
      if (leave === null) {
        throw unresolved(host, "too many names of the account wait for name servers");
      }
      try {
        // Nothing is awaited between the last check of the cache and the start of the look-up.
        for (let running = known(name); running !== undefined; running = known(name)) {
          const found = await running.catch(unlessOfTenant);
          if (found !== undefined) return found;
        }
        const running = look(name, tenant);
        underWay.set(name, running);
        return await running;
      } finally {
        leave();
      }
    },
    async query(work, tenant = lookedUpFor()) {
      const leave = await places.wait(tenant, limits.nameLookupMs);
      if (leave === null) throw new Error("Cannot query DNS: too many names are being looked up");
      return await work().finally(leave);
    },
  };
}

/** The names that this process connects to. */
export const names: Names = createNames();

const unresolved = (host: string, why: string, cause?: unknown) =>
  new Error(`the name ${host} cannot be resolved by DNS: ${why}`, { cause });

/** Returns whether a look-up failed since its tenant had no place: those of others may not. */
const isOfTenant = (failure: unknown): boolean =>
  failure instanceof Error && failure.cause instanceof NoPlace;

function unlessOfTenant(failure: unknown): undefined {
  if (!isOfTenant(failure)) throw failure;
}

export interface LookupOptions {
  /** Those of the process unless given. */
  by?: Names | undefined;
  /** As in `Names.addressesOf`. */
  tenant?: string | undefined;
  /** Reason for which an address must not be connected to. A name with one such address is refused. */
  refusalOf?: ((address: string, host: string) => Error | undefined) | undefined;
}

/** `lookup` of `node:net`, `node:tls` and `node:http`, by names of ours. */
export const lookupBy = (
  { by = names, tenant, refusalOf = () => undefined }: LookupOptions = {},
): LookupFunction =>
(host, { all: wantsAll = false }, done) => {
  const refuse = (reason: Error) => done(reason, []);
  by.addressesOf(host, tenant).then((found) => {
    for (const { address } of found) {
      const refusal = refusalOf(address, host);
      if (refusal !== undefined) return refuse(refusal);
    }
    const [first] = found;
    if (first === undefined) refuse(unresolved(host, "it has no address"));
    else if (wantsAll) done(null, [...found]);
    else done(null, first.address, first.family);
  }, refuse);
};
