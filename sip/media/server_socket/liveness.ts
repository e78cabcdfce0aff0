import { mediaLimits } from "../base/limits.ts";

/*
 * A process that is killed closes its connection; a machine that vanishes does not. So a server is pinged
 * each second. A `Connect` whose server does not answer for 3.5 s has failed, so that its next verb runs
 * within 5 s: an agent that blocks its event loop for longer loses the call, and slow work belongs beside
 * it. A copy harms nobody: its frames wait after 2 s, the oldest are left out after 10 s more, and it fails
 * after 30 s.
 */

/**
 * True where a server still reads: it is pinged, and answers behind all that it was sent before. While we
 * read it more slowly than it sends (`isHeld`), its answers wait here.
 */
export interface Liveness {
  /** Pings, where that is due. */
  tick(): void;
  onPong(): void;
  /** For how long the oldest ping has waited for its answer, in ms. */
  readonly silentMs: number;
}

export function createLiveness(
  { ping, isHeld = () => false, now }: { ping(): void; isHeld?(): boolean; now(): number },
): Liveness {
  let pingedAt = now();
  /** Time at which its answers may last have waited here. */
  let heldAt = -Infinity;
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
      if (isHeld()) heldAt = now();
      return unanswered[0] === undefined ? 0 : now() - Math.max(unanswered[0], heldAt);
    },
  };
}
