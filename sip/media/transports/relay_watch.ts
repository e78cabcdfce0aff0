import { mediaLimits } from "../base/limits.ts";
import { type NgAnswer, NgRefusal } from "./ng.ts";
import type { Clock } from "../base/ticker.ts";

/** What becomes of a call at rtpengine, which tells nothing by itself and is asked. */
export interface RelayWatch {
  /** Resolves when ICE and DTLS are done; rejects when they never will, also by `close`. */
  readonly connected: Promise<void>;
  /** Resolves once with the reason, when there is no connection or rtpengine has lost the call. */
  readonly lost: Promise<string>;
  /** Both sides are known to rtpengine: the asking begins. */
  start(): void;
  /** Whether what rtpengine passes on is the peer's. */
  readonly isConnected: boolean;
  close(): void;
}

export interface RelayWatchOptions {
  /** What rtpengine says of the call. */
  query(): Promise<NgAnswer>;
  clock: Clock;
  connectMs: number;
}

const streamsOf = ({ tags }: NgAnswer) =>
  Object.values(tags).flatMap(({ medias }) => medias.flatMap(({ streams }) => streams));

/** Keys are there when DTLS is done, and only the peer's side has any. */
const securedStreams = (answer: NgAnswer) =>
  streamsOf(answer).filter((stream) => stream["crypto suite"] !== undefined);

/** The keys are those of who has the certificate that the peer named. */
const isVerified = (answer: NgAnswer): boolean =>
  securedStreams(answer).some(({ flags }) => flags.includes("DTLS fingerprint verified"));

/** Packets come that cannot be read, as after a DTLS handshake that was refused. */
const isUnreadable = (answer: NgAnswer): boolean =>
  streamsOf(answer).some(({ stats }) => stats.errors > 0);

/** Tells of one call, answer by answer, why there will be no connection, once that is known. */
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

export function watchRelay({ query, clock, connectMs }: RelayWatchOptions): RelayWatch {
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  connected.promise.catch(() => {});
  let state: "new" | "connecting" | "connected" | "over" = "new";
  let unanswered = 0;
  const failure = failures(clock);
  let stop = () => {};

  const after = (ms: number, step: () => Promise<void>) => {
    stop = clock.after(ms, () => void step());
  };
  const end = (why: string) => {
    state = "over";
    stop();
    connected.reject(new Error(`Cannot connect media: ${why}`));
  };
  const lose = (why: string) => {
    if (state === "over") return;
    end(why);
    lost.resolve(why);
  };
  const look = async (): Promise<NgAnswer | undefined> => {
    try {
      const answer = await query();
      unanswered = 0;
      return answer;
    } catch (error) {
      const isGone = error instanceof NgRefusal || ++unanswered >= mediaLimits.relayChecks;
      if (isGone) lose(error instanceof Error ? error.message : String(error));
    }
  };
  const check = async () => {
    await look();
    if (state === "connected") after(mediaLimits.relayCheckMs, check);
  };
  const settle = () => {
    if (state !== "connecting") return;
    state = "connected";
    stop();
    connected.resolve();
    after(mediaLimits.relayCheckMs, check);
  };
  const poll = async (pauseMs: number, until: number) => {
    const answer = await look();
    if (state !== "connecting") return;
    if (answer !== undefined && isVerified(answer)) return settle();
    const why = answer && failure(answer);
    if (why !== undefined) return lose(`DTLS failed: ${why}`);
    if (clock.now() >= until) return lose("ICE or DTLS failed");
    const next = Math.min(pauseMs * 1.5, mediaLimits.relayPollMaxMs);
    after(pauseMs, () => poll(next, until));
  };
  return {
    connected: connected.promise,
    lost: lost.promise,
    start() {
      if (state !== "new") return;
      state = "connecting";
      const until = clock.now() + connectMs;
      after(mediaLimits.relayPollMs, () => poll(mediaLimits.relayPollMs, until));
    },
    get isConnected() {
      return state === "connected";
    },
    close: () => end("the leg is closed"),
  };
}
