import { sipLimits } from "../limits.ts";

/** Who answered a challenge: a login, unless no Client can have it, at an address. */
export interface Answerer {
  login: string | undefined;
  host: string;
}

/**
 * Slows those down who guess passwords, however often they connect anew. A login that was right at an
 * address lately is judged by its wrong answers from there alone, so nobody elsewhere, nor another
 * login there, can lock it out.
 */
export interface Lockout {
  /** How long an answer of this login from this address is not looked at, in ms. */
  remainingMs(answerer: Answerer): number;
  wrong(answerer: Answerer): void;
  /** Forgets the wrong answers of the login; its address may be that of a guesser too. */
  right(answerer: Answerer): void;
}

export function createLockout(now: () => number = Date.now): Lockout {
  const logins = createCounts(sipLimits.wrongAnswersOfLogin, now);
  const homes = createCounts(sipLimits.wrongAnswersOfLogin, now);
  const networks = createCounts(sipLimits.wrongAnswersFromAddress, now);
  const known = createKnownHomes();
  return {
    remainingMs(answerer) {
      const { login, host } = answerer;
      const home = homeOf(answerer);
      if (home !== undefined && known.has(home)) return homes.remainingMs(home);
      return Math.max(
        login === undefined ? 0 : logins.remainingMs(login),
        networks.remainingMs(networkOf(host)),
      );
    },
    wrong(answerer) {
      const { login, host } = answerer;
      const home = homeOf(answerer);
      if (home !== undefined) homes.add(home);
      if (login !== undefined) logins.add(login);
      networks.add(networkOf(host));
    },
    right(answerer) {
      const home = homeOf(answerer);
      if (home === undefined || answerer.login === undefined) return;
      logins.forget(answerer.login);
      homes.forget(home);
      known.add(home);
    },
  };
}

/** A login at an address. */
const homeOf = ({ login, host }: Answerer): string | undefined =>
  login === undefined ? undefined : `${login} ${networkOf(host)}`;

/**
 * Makes room among so many, for a while: each look for what is first passes over all that went since
 * the table was made.
 */
export function dropOldest(
  entries: Set<string> | Map<string, unknown>,
  most: number,
): void {
  for (const key of entries.keys()) {
    if (entries.size <= most * 0.95) return;
    entries.delete(key);
  }
}

/** Where logins were right, the latest last. */
function createKnownHomes() {
  const homes = new Set<string>();
  return {
    has: (home: string) => homes.has(home),
    add(home: string) {
      homes.delete(home);
      homes.add(home);
      if (homes.size > sipLimits.knownHomes) dropOldest(homes, sipLimits.knownHomes);
    },
  };
}

/** Wrong answers, which are forgotten at a steady rate; the newest last. */
function createCounts(rule: { free: number; forgetMs: number }, now: () => number) {
  const entries = new Map<string, { count: number; at: number; lockedUntil: number }>();
  const countOf = (key: string): number => {
    const { count, at } = entries.get(key) ?? { count: 0, at: 0 };
    return Math.max(count - (now() - at) / rule.forgetMs, 0);
  };
  return {
    remainingMs: (key: string) => Math.max((entries.get(key)?.lockedUntil ?? 0) - now(), 0),
    add(key: string) {
      const count = countOf(key) + 1;
      const excess = Math.ceil(count) - rule.free;
      const lockedMs = Math.min(sipLimits.lockoutMinMs * 2 ** excess, sipLimits.lockoutMaxMs);
      entries.delete(key);
      entries.set(key, { count, at: now(), lockedUntil: now() + (excess < 0 ? 0 : lockedMs) });
      if (entries.size > sipLimits.lockouts) dropOldest(entries, sipLimits.lockouts);
    },
    forget: (key: string) => void entries.delete(key),
  };
}

/** What one guesser has: an IPv4 address, or a whole /64 network of IPv6 (RFC 6177 §2). */
export function networkOf(host: string): string {
  // IPv4 addresses come as IPv6 ones, too (RFC 4291 §2.5.5.2).
  if (!host.includes(":") || host.includes(".")) return host.replace(/^.*:/, "");
  const [head = "", tail] = host.split("::");
  const left = head === "" ? [] : head.split(":");
  if (tail === undefined) return left.slice(0, 4).join(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
