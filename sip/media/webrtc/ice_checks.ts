import { isIP } from "node:net";
import { addressKey } from "./ip_bytes.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { isUnspecified } from "../sdp/read_audio.ts";
import type { Clock } from "../base/ticker.ts";

/** A way to the peer: our one socket, and one of the peer's addresses (RFC 8445 §6.1.2.6). */
export interface Pair {
  readonly to: Address;
  /** The peer's for its candidate. Ours is one, so this alone puts pairs in order (§6.1.2.3). */
  readonly priority: number;
  /** Of the peer by its credentials: it checked the pair, or answered our check. */
  isKnown: boolean;
  /** It answered our check. */
  isValid: boolean;
  /** Who controls wants this one. */
  isNominated: boolean;
  /** Of our last check, in hex; another begins with what it says. */
  transaction: string | undefined;
  /** Checks sent since there was reason to, and when the next one is due; Infinity when none is. */
  sent: number;
  dueAt: number;
  /** Goes before all others (§6.1.4.1). */
  isTriggered: boolean;
}

/** The pairs of one peer, and when each is checked. */
export interface Checks {
  /** The best ones first. */
  readonly pairs: readonly Pair[];
  /** The pair of an address. */
  find(of: Address): Pair | undefined;
  /** Whether the peer has proved by a check or an answer that it is at an address. */
  knows(from: Address): boolean;
  /** The same; made when there is none, in place of the oldest that does not matter. */
  ensure(of: Address, priority: number): Pair;
  /** Checks a pair next, and again until it is settled or was, unless wanted, tried often enough. */
  trigger(pair: Pair): void;
  /** Checks these no more, all unless given. */
  settle(pair?: Pair): void;
}

interface Options {
  candidates: readonly string[];
  clock: Clock;
  check(pair: Pair): void;
  /** Whether it is checked for as long as it does not answer. */
  isWanted(pair: Pair): boolean;
  /** Whether a pair must stay when there are too many. */
  matters(pair: Pair): boolean;
}

/** The pairs of the peer's candidates, whose checks begin. */
export function createChecks({ candidates, clock, check, isWanted, matters }: Options): Checks {
  const byKey = new Map<string, Pair>();
  let pairs: Pair[] = [];
  let heard: Address | undefined;
  let sentAt = -Infinity;
  let cancel: (() => void) | undefined;

  const find = ({ address, port }: Address) => byKey.get(addressKey(address, port));
  const ensure = (of: Address, priority: number) => {
    const known = find(of);
    if (known !== undefined) return known;
    if (byKey.size >= mediaLimits.icePairs) forgetOne(byKey, matters);
    const pair = newPair(of, priority);
    byKey.set(addressKey(of.address, of.port), pair);
    pairs = [...byKey.values()].sort((a, b) => b.priority - a.priority);
    return pair;
  };
  /** Sends one check, as no two may leave at once (§14.2), and waits for the next one. */
  const run = () => {
    cancel = undefined;
    const due = pairs.filter(({ dueAt }) => dueAt <= clock.now());
    const pair = due.find(({ isTriggered }) => isTriggered) ?? due[0];
    if (pair !== undefined) {
      pair.isTriggered = false;
      const isLast = pair.sent + 1 >= mediaLimits.iceChecks && !isWanted(pair);
      pair.dueAt = isLast ? Infinity : clock.now() + retryMs(pair.sent++);
      sentAt = clock.now();
      check(pair);
    }
    wait();
  };
  const wait = () => {
    cancel?.();
    const dueAt = pairs.reduce((earliest, pair) => Math.min(earliest, pair.dueAt), Infinity);
    const pacedAt = Math.max(dueAt, sentAt + mediaLimits.iceCheckMs);
    cancel = dueAt === Infinity ? undefined : clock.after(Math.max(0, pacedAt - clock.now()), run);
  };

  for (const text of candidates.slice(0, mediaLimits.candidates)) {
    const candidate = readCandidate(text);
    if (candidate !== undefined) ensure(candidate.to, candidate.priority).dueAt = clock.now();
  }
  wait();
  return {
    get pairs() {
      return pairs;
    },
    find,
    knows(from) {
      // As nearly all packets are, which should cost nothing.
      if (heard?.port === from.port && heard.address === from.address) return true;
      if (!find(from)?.isKnown) return false;
      heard = { address: from.address, port: from.port };
      return true;
    },
    ensure,
    trigger(pair) {
      Object.assign(pair, { isTriggered: true, sent: 0, dueAt: clock.now() });
      wait();
    },
    settle(only) {
      for (const pair of only === undefined ? pairs : [only]) pair.dueAt = Infinity;
      wait();
    },
  };
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

/** A check that is not answered is sent again, each time after a longer pause (RFC 8489 §6.2.1). */
const retryMs = (sent: number) =>
  Math.min(mediaLimits.iceRetryMs * 2 ** sent, mediaLimits.iceRetryMaxMs);

/**
 * A candidate as SDP has it (RFC 8839 §5.1), where we can send to it: over UDP, at an IP address. A
 * name, as of mDNS, is passed over: its owner checks us, and is known by that.
 */
function readCandidate(text: string): { to: Address; priority: number } | undefined {
  const [, component, transport, priority, address = "", port] = text.split(" ");
  const usable = component === "1" && transport?.toLowerCase() === "udp" && isIP(address) !== 0 &&
    !isUnspecified(address) && Number(port) > 0 && Number(port) <= 0xffff;
  return usable
    ? { to: { address, port: Number(port) }, priority: Number(priority) || 0 }
    : undefined;
}
