import { mediaLimits } from "../media/base/limits.ts";

/** Whether a server still reads: it is pinged, and answers behind all that it was sent before. */
export interface Liveness {
  /** Pings, where that is due. */
  tick(): void;
  onPong(): void;
  /** For how long the oldest ping has waited for its answer, in ms. */
  readonly silentMs: number;
}

export function createLiveness({ ping, now }: { ping(): void; now(): number }): Liveness {
  let pingedAt = now();
  const unanswered: number[] = [];
  return {
    tick() {
      const at = now();
      if (at - pingedAt < mediaLimits.streamPingMs) return;
      pingedAt = at;
      unanswered.push(at);
      ping();
    },
    onPong: () => void unanswered.shift(),
    get silentMs() {
      return unanswered[0] === undefined ? 0 : now() - unanswered[0];
    },
  };
}
