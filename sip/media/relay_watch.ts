import { mediaLimits } from "./limits.ts";
import { type NgAnswer, NgRefusal } from "./ng.ts";
import type { Clock } from "./ticker.ts";

/** What becomes of a call at rtpengine, which tells nothing by itself and is asked. */
export interface RelayWatch {
  /** Resolves when ICE and DTLS are done; rejects when they never will, also by `close`. */
  readonly connected: Promise<void>;
  /** Resolves once with the reason, when there is no connection or rtpengine has lost the call. */
  readonly lost: Promise<string>;
  /** Both sides are known to rtpengine: the asking begins. */
  start(): void;
  /** A packet of the peer came by, which is proof of the connection. */
  heard(): void;
  close(): void;
}

export interface RelayWatchOptions {
  /** What rtpengine says of the call. */
  query(): Promise<NgAnswer>;
  clock: Clock;
  connectMs: number;
}

/** Keys are there when DTLS is done, and only the peer's side has any. */
const isSecured = ({ tags }: NgAnswer): boolean =>
  Object.values(tags).some(({ medias }) =>
    medias.some(({ streams }) => streams.some((stream) => stream["crypto suite"] !== undefined))
  );

export function watchRelay({ query, clock, connectMs }: RelayWatchOptions): RelayWatch {
  const connected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<string>();
  connected.promise.catch(() => {});
  let state: "new" | "connecting" | "connected" | "over" = "new";
  let unanswered = 0;
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
    if (answer !== undefined && isSecured(answer)) return settle();
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
    heard: settle,
    close: () => end("the leg is closed"),
  };
}
