import type { Socket } from "node:net";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";

export interface KeepAliveOptions {
  clock: Clock;
  /** Sends a ping. */
  ping(): void;
}

/**
 * Closes a stream whose peer is gone. A peer that was silent for `socketIdleS` is pinged, and its stream
 * closed when nothing arrives within another `socketIdleS`. The result stops the watch.
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
