import { isIP } from "node:net";
import { addressKey } from "./ip_bytes.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { isUnspecified } from "../sdp/read_audio.ts";
import type { Clock } from "../base/ticker.ts";

/** A candidate pair: our one socket, and an address of the peer (RFC 8445 §6.1.2.6). */
export interface Pair {
  readonly to: Address;
  /** Of the peer's candidate. We have one candidate, so this alone orders the pairs (§6.1.2.3). */
  readonly priority: number;
  /** The peer proved its credentials on it, by a check or a response to ours. */
  isKnown: boolean;
  /** The peer responded to our check. */
  isValid: boolean;
  /** The controlling agent nominated it. */
  isNominated: boolean;
  /** The transaction ID of our last check, in hex. */
  transaction: string | undefined;
  /** Checks sent since the last trigger, and when the next one is due; Infinity when none is. */
  sent: number;
  dueAt: number;
  /** Its check is sent before all others (§6.1.4.1). */
  isTriggered: boolean;
}

/** The pairs of one peer, and when each is checked. */
export interface Checks {
  /** By priority, the highest first. */
  pairs(): readonly Pair[];
  /** The pair of an address. */
  find(of: Address): Pair | undefined;
  /** True where the peer proved, by a check or a response, that it is at an address. */
  knows(from: Address): boolean;
  /** The pair of an address. A new one may replace the oldest that does not matter. */
  ensure(of: Address, priority: number): Pair;
  /** Checks a pair next, and repeats the check until `settle` or, unless wanted, `iceChecks` times. */
  trigger(pair: Pair): void;
  /** Stops the checks of a pair, by default of all. */
  settle(pair?: Pair): void;
}

interface Options {
  candidates: readonly string[];
  clock: Clock;
  check(pair: Pair): void;
  /** True where its checks are repeated without a limit. */
  isWanted(pair: Pair): boolean;
  /** True where a pair must be kept when there are too many. */
  matters(pair: Pair): boolean;
}

interface State extends Options {
  readonly byKey: Map<string, Pair>;
  /** By priority, the highest first. */
  pairs: Pair[];
  /** The source of the newest packet that was of the peer. */
  source: Address | undefined;
  /** Time at which the newest check was sent. */
  sentAt: number;
  cancel: (() => void) | undefined;
}

/** Pairs with the peer's candidates; starts their checks. */
export function createChecks(options: Options): Checks {
  const state: State = {
    ...options,
    byKey: new Map(),
    pairs: [],
    source: undefined,
    sentAt: -Infinity,
    cancel: undefined,
  };
  const { clock } = options;
  for (const text of options.candidates.slice(0, mediaLimits.candidates)) {
    const candidate = readCandidate(text);
    if (candidate !== undefined) {
      ensure(state, candidate.to, candidate.priority).dueAt = clock.now();
    }
  }
  schedule(state);
  return {
    pairs: () => state.pairs,
    find: (of) => find(state, of),
    knows(from) {
      const { source } = state;
      // Fast path: nearly all packets come from the source of the packet before.
      if (source?.port === from.port && source.address === from.address) return true;
      if (!find(state, from)?.isKnown) return false;
      state.source = { address: from.address, port: from.port };
      return true;
    },
    ensure: (of, priority) => ensure(state, of, priority),
    trigger(pair) {
      Object.assign(pair, { isTriggered: true, sent: 0, dueAt: clock.now() });
      schedule(state);
    },
    settle(only) {
      for (const pair of only === undefined ? state.pairs : [only]) pair.dueAt = Infinity;
      schedule(state);
    },
  };
}

const find = ({ byKey }: State, { address, port }: Address) => byKey.get(addressKey(address, port));

function ensure(state: State, of: Address, priority: number): Pair {
  const known = find(state, of);
  if (known !== undefined) return known;
  const { byKey } = state;
  if (byKey.size >= mediaLimits.icePairs) forgetOne(byKey, state.matters);
  const pair = newPair(of, priority);
  byKey.set(addressKey(of.address, of.port), pair);
  state.pairs = [...byKey.values()].sort((a, b) => b.priority - a.priority);
  return pair;
}

/** Sends one check, since checks must be paced (§14.2), and schedules the next one. */
function run(state: State): void {
  const { clock, pairs } = state;
  state.cancel = undefined;
  const due = pairs.filter(({ dueAt }) => dueAt <= clock.now());
  const pair = due.find(({ isTriggered }) => isTriggered) ?? due[0];
  if (pair !== undefined) {
    pair.isTriggered = false;
    const isLast = pair.sent + 1 >= mediaLimits.iceChecks && !state.isWanted(pair);
    pair.dueAt = isLast ? Infinity : clock.now() + retryMs(pair.sent++);
    state.sentAt = clock.now();
    state.check(pair);
  }
  schedule(state);
}

function schedule(state: State): void {
  const { clock, pairs, sentAt } = state;
  state.cancel?.();
  const dueAt = pairs.reduce((earliest, pair) => Math.min(earliest, pair.dueAt), Infinity);
  const pauseMs = Math.max(0, Math.max(dueAt, sentAt + mediaLimits.iceCheckMs) - clock.now());
  state.cancel = dueAt === Infinity ? undefined : clock.after(pauseMs, () => run(state));
}

const newPair = ({ address, port }: Address, priority: number): Pair => ({
  to: { address, port },
  priority,
  isKnown: false,
  isValid: false,
  isNominated: false,
  transaction: undefined,
  sent: 0,
  dueAt: Infinity,
  isTriggered: false,
});

function forgetOne(pairs: Map<string, Pair>, matters: (pair: Pair) => boolean): void {
  for (const [key, pair] of pairs) if (!matters(pair)) return void pairs.delete(key);
}

/** The pause before a check is repeated doubles each time (RFC 8489 §6.2.1). */
const retryMs = (sent: number) =>
  Math.min(mediaLimits.iceRetryMs * 2 ** sent, mediaLimits.iceRetryMaxMs);

/**
 * A candidate of SDP (RFC 8839 §5.1) that we can send to: UDP, at an IP address. Host names, as of
 * mDNS, are skipped: the checks of that peer show us its address.
 */
function readCandidate(text: string): { to: Address; priority: number } | undefined {
  const [, component, transport, priority, address = "", port] = text.split(" ");
  const usable = component === "1" && transport?.toLowerCase() === "udp" && isIP(address) !== 0 &&
    !isUnspecified(address) && Number(port) > 0 && Number(port) <= 0xffff;
  return usable
    ? { to: { address, port: Number(port) }, priority: Number(priority) || 0 }
    : undefined;
}
