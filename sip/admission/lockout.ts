import { networkOf } from "../../core/net/networks.ts";
import { sipLimits } from "../base/limits.ts";

/** The source of an answer to one of our challenges. */
export interface Answerer {
  /** Undefined when no Client can have the login. */
  login: string | undefined;
  /** The client's address. */
  host: string;
  /**
   * The device, where this login gave a right answer from it before: by this flow, or with a binding
   * that is still registered from this network.
   */
  knownAs?: string | undefined;
}

/**
 * Slows password guessing from one network, however often it connects anew. Wrong answers are
 * counted for each login and network, and for each network; they never lock a login elsewhere.
 * - A login that gave a right answer from a network is not locked by other logins there.
 * - A device that gave a right answer is locked by its own wrong answers alone: it stays registered
 *   while its login is guessed from its own network.
 */
export interface Lockout {
  /** For how long answers from this source are refused unread, in ms. */
  remainingMs(answerer: Answerer): number;
  wrong(answerer: Answerer): void;
  /** Forgets the wrong answers of this login from here; those of its network stay. */
  right(answerer: Answerer): void;
}

export function createLockout(now: () => number = Date.now): Lockout {
  const sources = createCounts(sipLimits.wrongAnswersOfLogin, now);
  const networks = createCounts(sipLimits.wrongAnswersFromAddress, now);
  const known = createKnownHomes();
  return {
    remainingMs(answerer) {
      const source = sourceOf(answerer);
      const ofSource = source === undefined ? 0 : sources.remainingMs(source);
      const isKnown = answerer.knownAs !== undefined ||
        source !== undefined && known.has(source);
      return isKnown
        ? ofSource
        : Math.max(ofSource, networks.remainingMs(networkOf(answerer.host)));
    },
    wrong(answerer) {
      const source = sourceOf(answerer);
      if (source !== undefined) sources.add(source);
      if (answerer.knownAs === undefined) networks.add(networkOf(answerer.host));
    },
    right(answerer) {
      const source = sourceOf(answerer);
      if (source !== undefined) sources.forget(source);
      const home = homeOf(answerer);
      if (home !== undefined) known.add(home);
    },
  };
}

/** A login in a network. */
const homeOf = ({ login, host }: Answerer): string | undefined =>
  login === undefined ? undefined : `${login} ${networkOf(host)}`;

/** What the wrong answers of a login are counted for. No network contains a `#`. */
const sourceOf = (answerer: Answerer): string | undefined =>
  answerer.knownAs === undefined ? homeOf(answerer) : `${answerer.login} #${answerer.knownAs}`;

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
