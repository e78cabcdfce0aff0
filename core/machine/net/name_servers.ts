import { promises as dns } from "node:dns";
import { isIP } from "node:net";
import { limits } from "../../base/limits.ts";
import { createShares } from "../../base/shares.ts";

/** An address with its time to live in seconds. */
export interface Found {
  address: string;
  ttl: number;
}

export interface NameServersOptions {
  /** Name servers as `address:port`, in place of those of resolv.conf. */
  servers?: string[];
  /** Resolves a name by `getaddrinfo`, where the runtime knows no name server. */
  bySystem?(name: string): Promise<{ address: string }[]>;
}

/**
 * Asks for the addresses of a name, of both families, IPv4 first. Rejects within
 * `limits.nameLookupMs` with an Error that names the cause.
 */
export type AskNameServers = (name: string, tenant: string | undefined) => Promise<Found[]>;

export function createNameServers(
  { servers, bySystem = (name) => dns.lookup(name, { all: true }) }: NameServersOptions = {},
): AskNameServers {
  const slow = createShares({ most: limits.slowQueries, each: limits.slowQueriesOfTenant });
  const threads = createShares({ most: limits.systemLookups, each: limits.systemLookupsOfTenant });

  /** A query that is given up with the signal, and has a second, twice. */
  async function query(name: string, family: 4 | 6, over: AbortSignal): Promise<Found[]> {
    const resolver = new dns.Resolver({ tries: 1 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    over.addEventListener("abort", cancel);
    try {
      if (family === 4) return await resolver.resolve4(name, { ttl: true });
      return await resolver.resolve6(name, { ttl: true });
    } finally {
      over.removeEventListener("abort", cancel);
    }
  }

  /** A query with the time that resolv.conf says; its place is free when it has ended. */
  async function slowQuery(name: string, family: 4 | 6, tenant: string | undefined) {
    const leave = slow.take(tenant);
    if (leave === null) throw new NoPlace("its name server does not answer within a second");
    const found = await Deno.resolveDns(name, family === 4 ? "A" : "AAAA", nameServer(servers))
      .finally(leave);
    return found.map((address) => ({ address, ttl: unknownTtlS }));
  }

  /** The addresses of one family, none where the name has none. */
  async function ask(
    name: string,
    family: 4 | 6,
    { tenant, over }: { tenant: string | undefined; over: AbortSignal },
  ): Promise<Found[]> {
    const quick = await query(name, family, over).catch(answerOf);
    if (quick !== "silent") return quick;
    if (over.aborted) throw new Silence();
    const slow = slowQuery(name, family, tenant).catch(answerOf);
    const answer = await Promise.race([slow, end(over)]);
    if (answer === "silent") throw new Silence();
    return answer;
  }

  /** The same by a blocking thread, whose look-up cannot be given up. */
  async function askSystem(name: string, tenant: string | undefined, over: AbortSignal) {
    const leave = threads.take(tenant);
    if (leave === null) throw new NoPlace("too many look-ups of the account run");
    const asked = bySystem(name).catch((): never[] => []).finally(leave);
    const found = await Promise.race([asked, end(over)]);
    if (found === "silent") throw new Silence();
    return found.map(({ address }) => ({ address, ttl: unknownTtlS }))
      .toSorted((a, b) => isIP(a.address) - isIP(b.address));
  }

  return async (name, tenant) => {
    const limit = new AbortController();
    const { signal: over } = limit;
    const timer = setTimeout(() => limit.abort(), limits.nameLookupMs);
    try {
      const asked = ([4, 6] as const).map((family) => ask(name, family, { tenant, over }));
      return await bothOf(asked);
    } catch (error) {
      if (!(error instanceof NoServer)) throw error;
      return await askSystem(name, tenant, over);
    } finally {
      clearTimeout(timer);
      limit.abort(); // Frees what still runs.
    }
  };
}

/** Of an answer that does not say it. */
const unknownTtlS = 5;

/** Time that one family waits for the other: some servers never answer for one. */
const otherFamilyMs = 250;

/** The answers for both families; those of one as soon as the other has had its time. */
async function bothOf(asked: Promise<Found[]>[]): Promise<Found[]> {
  const found: Found[][] = [];
  const failures: unknown[] = [];
  const both = Promise.all(asked.map(async (one, at) => {
    found[at] = await one.catch((error) => (failures.push(error), []));
  }));
  const one = Promise.any(asked.map(async (one) => {
    if ((await one).length === 0) throw new Error("Only the other family can have addresses");
  }));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = () => new Promise<void>((resolve) => timer = setTimeout(resolve, otherFamilyMs));
  await Promise.race([both, one.then(late, () => both)]);
  clearTimeout(timer);
  const every = found.flat();
  if (every.length > 0) return every.slice(0, limits.addressesOfName);
  throw failures[0] ?? new Error("it has no address");
}

/** The requesting tenant has no place for another query; another tenant may have. */
export class NoPlace extends Error {}

/** The name servers do not answer. */
class Silence extends Error {
  override readonly message = "its name server does not answer";
}

/** The runtime knows no name server. */
class NoServer extends Error {}

/** Reason of a failed query: no address, no answer in time, or no reachable server. */
function answerOf(error: unknown): Found[] | "silent" {
  if (error instanceof NoPlace) throw error;
  if (error instanceof Silence || error instanceof Deno.errors.TimedOut) return "silent";
  if (error instanceof Deno.errors.NotFound) return [];
  const { code } = error as { code?: string };
  if (code === "ETIMEOUT" || code === "ECANCELLED") return "silent";
  if (code === "ENOTFOUND" || code === "ENODATA") return [];
  throw new NoServer(String(error), { cause: error });
}

/** Resolves when a signal aborts. */
function end(over: AbortSignal): Promise<"silent"> {
  const { promise, resolve } = Promise.withResolvers<"silent">();
  if (over.aborted) resolve("silent");
  over.addEventListener("abort", () => resolve("silent"), { once: true });
  return promise;
}

function nameServer(servers: string[] | undefined): Deno.ResolveDnsOptions {
  const [, ipAddr, port] = /^\[?([^\]]+)\]?:(\d+)$/.exec(servers?.[0] ?? "") ?? [];
  return ipAddr === undefined ? {} : { nameServer: { ipAddr, port: Number(port) } };
}
