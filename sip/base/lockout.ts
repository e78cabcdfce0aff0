import { steadyNow } from "../../core/base/steady_clock.ts";
import { networkOf } from "../../core/base/networks.ts";
import { sipLimits } from "./limits.ts";

/** The source of an answer to one of our challenges. */
export interface Answerer {
  /** Undefined when no Client can have the login. */
  login: string | undefined;
  /** The client's address. */
  host: string;
  /** The connection that it came by; for UDP, the port that it came from. */
  port: number;
  /**
   * The device, where this login gave a right answer from it before: by this flow, or with a binding
   * that is still registered from this network.
   */
  knownAs?: string | undefined;
}

/**
 * Slows password guessing from one network, however often it connects anew. Wrong answers are
 * counted for each login and connection, for each login and network, and for each network; they never
 * lock a login elsewhere.
 * - One connection is locked long before its network: a device that uses a former password does not
 *   keep another one out that has the same login.
 * - A login that gave a right answer from a network is not locked by other logins there.
 * - A device that gave a right answer is locked by its own wrong answers alone: it stays registered
 *   while its login is guessed from its own network.
 * - Only an answer to a challenge that its own address was given counts, so forged datagrams count
 *   nothing (`authenticate.ts`).
 *
 * A device that restarts behind the address of a guesser may show nothing that names it. It waits for
 * the end of the lock, 10 minutes at most. Two other ways were refused. To check the first answer of
 * each connection allows as many guesses as there are ports. To check some answers a minute gives them
 * all to the guesser. A guesser on one connection stays below 20 wrong answers for an hour, so such a
 * device gets in.
 */
export interface Lockout {
  /** For how long answers from this source are refused unread, in ms. */
  remainingMs(answerer: Answerer): number;
  wrong(answerer: Answerer): void;
  /** Forgets the wrong answers of this device; those of others in its network stay. */
  right(answerer: Answerer): void;
}

export function createLockout(now: () => number = steadyNow): Lockout {
  const devices = createCounts(sipLimits.wrongAnswersOfDevice, now);
  const homes = createCounts(sipLimits.wrongAnswersOfLogin, now);
  const networks = createCounts(sipLimits.wrongAnswersFromAddress, now);
  const known = createKnownHomes();
  return {
    remainingMs(answerer) {
      const { login, knownAs, host } = answerer;
      const ofNetwork = () => networks.remainingMs(networkOf(host));
      if (login === undefined) return ofNetwork();
      const ofDevice = devices.remainingMs(deviceOf(login, answerer));
      if (knownAs !== undefined) return ofDevice;
      const home = homeOf(login, host);
      const ofHome = Math.max(ofDevice, homes.remainingMs(home));
      return known.has(home) ? ofHome : Math.max(ofHome, ofNetwork());
    },
    wrong(answerer) {
      const { login, knownAs, host } = answerer;
      if (login !== undefined) devices.add(deviceOf(login, answerer));
      if (knownAs !== undefined) return;
      if (login !== undefined) homes.add(homeOf(login, host));
      networks.add(networkOf(host));
    },
    right(answerer) {
      const { login, host } = answerer;
      if (login === undefined) return;
      devices.forget(deviceOf(login, answerer));
      known.add(homeOf(login, host));
    },
  };
}

/** A login in a network. */
const homeOf = (login: string, host: string): string => `${login} ${networkOf(host)}`;

/** A login at a device: by its registration, else by its connection. No host begins with `#`. */
const deviceOf = (login: string, { knownAs, host, port }: Answerer): string =>
  knownAs === undefined ? `${login} ${host} ${port}` : `${login} #${knownAs}`;

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

/** Sources of successful logins, the latest last. */
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
