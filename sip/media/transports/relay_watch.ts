import { mediaLimits } from "../base/limits.ts";
import { type NgAnswer, NgRefusal } from "./ng.ts";
import type { Clock } from "../base/ticker.ts";

/** The state of a call at rtpengine, which sends no events and is polled. */
export interface RelayWatch {
  /** Resolves when ICE and DTLS are done; rejects when they fail, and on `close`. */
  readonly connected: Promise<void>;
  /** Resolves once, with the reason, when ICE or DTLS fails or rtpengine has lost the call. */
  readonly lost: Promise<string>;
  /** Starts polling; called when rtpengine has the SDP of both sides. */
  start(): void;
  /** Whether the packets that rtpengine forwards are of the verified peer. */
  readonly isConnected: boolean;
  close(): void;
}

export interface RelayWatchOptions {
  /** Queries the call at rtpengine. */
  query(): Promise<NgAnswer>;
  clock: Clock;
  connectMs: number;
}

const streamsOf = ({ tags }: NgAnswer) =>
  Object.values(tags).flatMap(({ medias }) => medias.flatMap(({ streams }) => streams));

/** The streams that have keys: those of the peer, once DTLS is done. */
const securedStreams = (answer: NgAnswer) =>
  streamsOf(answer).filter((stream) => stream["crypto suite"] !== undefined);

/** Whether DTLS was done with the certificate of the fingerprint in the SDP. */
const isVerified = (answer: NgAnswer): boolean =>
  securedStreams(answer).some(({ flags }) => flags.includes("DTLS fingerprint verified"));

/** Whether packets arrive that cannot be decrypted, as after a failed DTLS handshake. */
const isUnreadable = (answer: NgAnswer): boolean =>
  streamsOf(answer).some(({ stats }) => stats.errors > 0);

/** Finds, from each answer about one call, why there will be no connection. */
function failures({ now }: Clock) {
  let unreadableSince = Infinity;
  return (answer: NgAnswer): string | undefined => {
    // What a peer agreed on before its answer came was compared when it came.
    if (securedStreams(answer).length > 0) return "the peer has another certificate than it named";
    if (isUnreadable(answer)) unreadableSince = Math.min(unreadableSince, now());
    const isOver = now() - unreadableSince >= mediaLimits.relayUnreadableMs;
    return isOver ? "what the peer sends cannot be read" : undefined;
  };
}

interface State extends RelayWatchOptions {
  readonly connected: PromiseWithResolvers<void>;
  readonly lost: PromiseWithResolvers<string>;
  /** The reason why there will be no connection, once known. */
  readonly failure: (answer: NgAnswer) => string | undefined;
  phase: "new" | "connecting" | "connected" | "over";
  /** Queries without an answer since the last one that had one. */
  unanswered: number;
  cancel(): void;
}

export function watchRelay(options: RelayWatchOptions): RelayWatch {
  const state: State = {
    ...options,
    connected: Promise.withResolvers(),
    lost: Promise.withResolvers(),
    failure: failures(options.clock),
    phase: "new",
    unanswered: 0,
    cancel() {},
  };
  const { connected, lost } = state;
  connected.promise.catch(() => {});
  return {
    connected: connected.promise,
    lost: lost.promise,
    start() {
      if (state.phase !== "new") return;
      state.phase = "connecting";
      const until = state.clock.now() + state.connectMs;
      const pauseMs = mediaLimits.relayPollMs;
      after(state, pauseMs, () => poll(state, pauseMs, until));
    },
    get isConnected() {
      return state.phase === "connected";
    },
    close: () => end(state, "the leg is closed"),
  };
}

/** Queries after growing pauses until the call is connected, has failed or is past its time. */
async function poll(state: State, pauseMs: number, until: number): Promise<void> {
  const answer = await query(state);
  if (state.phase !== "connecting") return;
  if (answer !== undefined && isVerified(answer)) return settle(state);
  const why = answer && state.failure(answer);
  if (why !== undefined) return lose(state, `DTLS failed: ${why}`);
  if (state.clock.now() >= until) return lose(state, "ICE or DTLS failed");
  const next = Math.min(pauseMs * 1.5, mediaLimits.relayPollMaxMs);
  after(state, pauseMs, () => poll(state, next, until));
}

function settle(state: State): void {
  state.phase = "connected";
  state.cancel();
  state.connected.resolve();
  after(state, mediaLimits.relayCheckMs, () => check(state));
}

/** Queries a connected call at intervals, to notice that rtpengine lost it. */
async function check(state: State): Promise<void> {
  await query(state);
  if (state.phase === "connected") after(state, mediaLimits.relayCheckMs, () => check(state));
}

/** One query; a refusal, or too many queries without an answer, end the call. */
async function query(state: State): Promise<NgAnswer | undefined> {
  try {
    const answer = await state.query();
    state.unanswered = 0;
    return answer;
  } catch (error) {
    const isGone = error instanceof NgRefusal || ++state.unanswered >= mediaLimits.relayChecks;
    if (isGone) lose(state, error instanceof Error ? error.message : String(error));
  }
}

function after(state: State, ms: number, step: () => Promise<void>): void {
  state.cancel = state.clock.after(ms, () => void step());
}

function lose(state: State, why: string): void {
  if (state.phase === "over") return;
  end(state, why);
  state.lost.resolve(why);
}

function end(state: State, why: string): void {
  state.phase = "over";
  state.cancel();
  state.connected.reject(new Error(`Cannot connect media: ${why}`));
}
