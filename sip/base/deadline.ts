import type { Socket } from "node:net";
import { sipLimits } from "./limits.ts";
import type { Clock } from "./clock.ts";

/** One timer that runs or does not. */
export interface Deadline {
  /** Does nothing while it runs. */
  start(): void;
  stop(): void;
}

export function createDeadline(clock: Clock, ms: number, callback: () => void): Deadline {
  let stopTimer: (() => void) | undefined;
  const stop = () => {
    stopTimer?.();
    stopTimer = undefined;
  };
  return { start: () => void (stopTimer ??= clock.after(ms, callback)), stop };
}

/** Ends a stream whose peer may take its time to let go, but no more than that. */
function closeSoon(socket: Socket, clock: Clock): void {
  const stop = clock.after(sipLimits.socketCloseMs, () => socket.destroy());
  socket.on("close", stop);
}

/** Says the last word on a stream and lets go; what the peer still sends is thrown away. */
export function hangUp(socket: Socket, clock: Clock, last?: string | Uint8Array): void {
  let left: number = sipLimits.messageBytes;
  socket.on("data", (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) socket.pause();
  });
  socket.resume();
  // To be destroyed at once, with something unread, would take the last word from the peer.
  closeSoon(socket, clock);
  if (last === undefined) socket.end();
  else socket.end(last);
}
