import type { Socket } from "node:net";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";

export interface KeepAliveOptions {
  clock: Clock;
  /** Asks the peer for a sign of life. */
  ping(): void;
}

/**
 * Ends a stream whose peer is not there any more: at `socketIdleS` after `socketIdleS` something has
 * to have come, or it is asked, and ended when nothing comes then either. The result stops the watch.
 */
export function watchPeer(socket: Socket, { clock, ping: ask }: KeepAliveOptions): () => void {
  const { socketIdleS } = sipLimits;
  let seen = socket.bytesRead;
  let asked = false;
  let stop = () => {};
  const look = () => {
    const isSilent = socket.bytesRead === seen;
    if (isSilent && asked) return void socket.destroy();
    seen = socket.bytesRead;
    asked = isSilent;
    stop = clock.after(socketIdleS * 1000, look);
    if (asked) ask();
  };
  stop = clock.after(socketIdleS * 1000, look);
  return () => stop();
}
