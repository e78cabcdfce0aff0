import { LEG_CLOSED } from "../base/port.ts";
import { type Checks, createChecks, type Pair } from "./ice_checks.ts";
import { type Consent, watchConsent } from "./ice_consent.ts";
import { type IceCredentials, type IceMessages, iceMessages } from "./ice_credentials.ts";
import { createNomination, type Nomination } from "./ice_nomination.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { parseStun, type ReadStun, type StunMessage } from "./stun.ts";
import { type Clock, systemClock } from "../base/ticker.ts";

export interface IceOptions {
  local: IceCredentials;
  remote: IceCredentials & {
    /** As SDP has them, without "candidate:". */
    candidates: readonly string[];
    /** The peer answers checks, but sends none (RFC 8445 §2.5). */
    lite: boolean;
  };
  /** True where we nominate the pair, as the offerer does (§6.1.1); always when the peer is lite. */
  controlling: boolean;
  send(bytes: Uint8Array<ArrayBuffer>, to: Address): void;
  clock?: Clock;
  /** Called when a pair is nominated, and again when another one is. */
  onNominated?(): void;
}

/**
 * ICE (RFC 8445) with one peer: a full agent with host candidates and one component, on one socket.
 * Its checks go to the peer's candidates and to where checks of the peer come from. Nothing is kept
 * of unauthenticated sources, and get no response, not even the 401 of RFC 8489 §9.1.3, as senders
 * are easily forged.
 */
export interface IceAgent {
  /** Takes a STUN message that came by the socket, whose bytes are lent; what is wrong is dropped. */
  onMessage(bytes: Uint8Array, from: Address): void;
  /** Present target: the end of the nominated pair; before, that of one that works (§12.1). */
  selected(): Address | undefined;
  /** True where the peer has proved by a check or an answer that it is at an address. */
  knows(from: Address): boolean;
  /** True where we choose the pair; roles may have been found to conflict. */
  controlling(): boolean;
  /** Resolves with the first nominated pair, or that works where the peer nominates, or rejects. */
  readonly connected: Promise<void>;
  /**
   * Resolves once with the reason, when no pair was found, or the peer did not consent to receive for
   * 30 s (RFC 7675); never by `close`.
   */
  readonly lost: Promise<string>;
  close(): void;
}

interface State {
  readonly options: IceOptions;
  readonly clock: Clock;
  readonly messages: IceMessages;
  readonly tieBreaker: bigint;
  controlling: boolean;
  readonly checks: Checks;
  readonly nomination: Nomination;
  selected: Pair | undefined;
  /** The first that works, as long as the peer that nominates has nominated none. */
  early: Pair | undefined;
  consent: Consent | undefined;
  over: boolean;
  /** Ends the time to find a pair. */
  cancelDeadline(): void;
  readonly connected: PromiseWithResolvers<void>;
  readonly lost: PromiseWithResolvers<string>;
}

/** RFC 8445 §5.1.2.1, for a peer-reflexive candidate, as a check may make ours one. */
const PRIORITY = 110 * 2 ** 24 + 0xffff * 2 ** 8 + 255;
const ROLE_CONFLICT = 487;
const UNKNOWN_ATTRIBUTE = 420;

/** Starts ICE with the credentials and candidates of both sides. */
export function newIceAgent(options: IceOptions): IceAgent {
  const state = newState(options);
  const { connected, lost } = state;
  return {
    onMessage(bytes, from) {
      const message = state.over ? undefined : parseStun(bytes);
      if (message === undefined) return;
      if (message.type === "request") onRequest(state, message, bytes, from);
      else onAnswer(state, message, bytes, from);
    },
    selected: () => (state.selected ?? state.early)?.to,
    knows: state.checks.knows,
    controlling: () => state.controlling,
    connected: connected.promise,
    lost: lost.promise,
    close: () => end(state, LEG_CLOSED),
  };
}

function newState(options: IceOptions): State {
  const { local, remote, clock = systemClock } = options;
  const connected = Promise.withResolvers<void>();
  connected.promise.catch(() => {});
  const checks = createChecks({
    candidates: remote.candidates,
    clock,
    check: (pair) => check(state, pair),
    isWanted: (pair) => state.selected === undefined && (pair.isNominated || pair.isKnown),
    matters: (pair) => pair === state.selected,
  });
  const isOpen = () => !state.over && state.controlling && state.selected === undefined;
  const state: State = {
    options,
    clock,
    messages: iceMessages(local, remote),
    tieBreaker: crypto.getRandomValues(new BigUint64Array(1))[0]!, // The array has one element.
    controlling: options.controlling || remote.lite,
    checks,
    nomination: createNomination({ checks, clock, isOpen }),
    selected: undefined,
    early: undefined,
    consent: undefined,
    over: false,
    cancelDeadline: clock.after(
      mediaLimits.iceConnectMs,
      () => lose(state, "ICE found no way to the peer"),
    ),
    connected,
    lost: Promise.withResolvers(),
  };
  return state;
}

/** A check of the peer's (§7.3). */
function onRequest(state: State, message: ReadStun, bytes: Uint8Array, from: Address): void {
  const { options, messages, checks } = state;
  if (!messages.isPeers(message, bytes)) return;
  const { transaction, unknown, role } = message;
  const answer = (content: Omit<StunMessage, "transaction">) =>
    options.send(messages.answer({ transaction, ...content }), from);
  if (unknown !== undefined) return answer({ type: "error", error: UNKNOWN_ATTRIBUTE, unknown });
  if (role !== undefined && role.controlling === state.controlling) {
    // §7.3.1.1: the agent with the larger tie-breaker controls.
    const isOurs = state.tieBreaker >= role.tieBreaker;
    if (state.controlling === isOurs) {
      return answer({ type: "error", error: ROLE_CONFLICT });
    }
    switchRole(state);
  }
  answer({ type: "success", mapped: from });

  const pair = checks.ensure(from, message.priority ?? 0);
  pair.isKnown = true;
  const isNominated = message.useCandidate && !state.controlling;
  if (isNominated) pair.isNominated = true;
  if (!pair.isValid) checks.trigger(pair);
  else if (isNominated) select(state, pair);
}

/** An answer to a check of ours (§7.2.5), or to a question for consent. */
function onAnswer(state: State, message: ReadStun, bytes: Uint8Array, from: Address): void {
  const { checks, messages } = state;
  const { transaction, unknown, type, error } = message;
  const pair = checks.pairs().find((each) => each.transaction === transaction);
  const isConsent = state.consent?.isAbout(transaction) ?? false;
  if ((pair === undefined && !isConsent) || !messages.isPeers(message, bytes)) return;
  if (pair !== undefined && error === ROLE_CONFLICT) {
    // A peer that changed its role since forgot its checks.
    switchRole(state);
    return checks.trigger(pair);
  }
  if (type !== "success" || unknown !== undefined) return;
  // From elsewhere it would come by a way that we cannot send on (§7.2.5.2.1).
  if (checks.find(from) !== (pair ?? state.selected)) return;
  if (pair === undefined) return state.consent?.renew();
  pair.isKnown = pair.isValid = true;
  checks.settle(pair);
  if (pair.isNominated) return select(state, pair);
  if (state.controlling) return state.nomination.consider();
  state.early ??= pair;
  state.connected.resolve();
}

/** Checks under way tell a role that is not ours any more, and nominate by it. */
function switchRole(state: State): void {
  state.controlling = !state.controlling;
  for (const pair of state.checks.pairs()) {
    pair.transaction = undefined;
    pair.isNominated = false;
  }
  state.nomination.consider();
}

function check(state: State, pair: Pair): void {
  pair.transaction ??= newTransaction();
  const useCandidate = state.controlling && pair.isNominated;
  request(state, pair, { transaction: pair.transaction, ...(useCandidate && { useCandidate }) });
}

const newTransaction = () => crypto.getRandomValues(new Uint8Array(12)).toHex();

function request(
  { options, messages, controlling, tieBreaker }: State,
  { to }: Pair,
  what: Pick<StunMessage, "transaction" | "useCandidate">,
): void {
  const role = { controlling, tieBreaker };
  options.send(messages.request({ priority: PRIORITY, role, ...what }), to);
}

/** The last one nominated is used: a peer that moves to another network says so by that. */
function select(state: State, pair: Pair): void {
  if (state.selected === pair) return;
  state.selected = pair;
  for (const each of state.checks.pairs()) each.isNominated = each === pair;
  state.cancelDeadline();
  state.checks.settle();
  state.consent?.close();
  state.consent = watchConsent({
    clock: state.clock,
    check() {
      const transaction = newTransaction();
      request(state, pair, { transaction });
      return transaction;
    },
    onLost: () => lose(state, "the peer does not answer any more"),
  });
  state.connected.resolve();
  state.options.onNominated?.();
}

function lose(state: State, why: string): void {
  end(state, new Error(`Cannot connect media: ${why}`));
  state.lost.resolve(why);
}

function end(state: State, why: Error): void {
  if (state.over) return;
  state.over = true;
  state.cancelDeadline();
  state.checks.settle();
  state.nomination.close();
  state.consent?.close();
  state.connected.reject(why);
}
