/**
 * Decoding for listeners alone: joined legs are forwarded as they are; recordings, conferences and
 * detectors decode. The jitter buffer counts frames played, so that lateness of our own is made up for
 * like that of the network.
 */
import { createJitterBuffer, type JitterBuffer } from "../rtp/jitter_buffer.ts";
import { type Pcm, SILENCE } from "../base/port.ts";
import { createListeners } from "../base/listeners.ts";
import type { RtpPacket } from "../rtp/rtp.ts";
import type { Encoding } from "../sdp/sdp.ts";
import type { Turn } from "../base/ticker.ts";

/** Decodes the audio of a peer for its listeners; costs nothing without listeners. */
export interface Hearing {
  muted: boolean;
  listen(onFrame: (frame: Pcm) => void): () => void;
  receive(packet: RtpPacket, encoding: Encoding): void;
  /** Packets that came too late to be played, since it was last asked. */
  takeLate(): number;
  /** No listener is called any more. */
  close(): void;
}

export function createHearing(turn: Turn): Hearing {
  const listeners = createListeners<Pcm>();
  let buffer: JitterBuffer | undefined;
  let stopTicking = () => {};

  let lateBefore = 0; // Of earlier buffers, and not asked for yet.
  let lateTaken = 0; // Of this buffer.

  const stop = () => {
    stopTicking();
    stopTicking = () => {};
    lateBefore += (buffer?.counts.late ?? 0) - lateTaken;
    lateTaken = 0;
    buffer = undefined;
  };
  const start = (buffer: JitterBuffer) =>
    turn.listen("hear", () => {
      const frame = buffer.pull();
      listeners.call(hearing.muted ? SILENCE : frame);
    });
  const hearing: Hearing = {
    muted: false,
    listen(onFrame) {
      const remove = listeners.add(onFrame);
      if (buffer === undefined) {
        buffer = createJitterBuffer();
        stopTicking = start(buffer);
      }
      return () => {
        remove();
        if (listeners.size === 0) stop();
      };
    },
    receive(packet, encoding) {
      if (encoding === "telephone-event") buffer?.pushEvent(packet);
      else buffer?.push(packet, encoding);
    },
    takeLate() {
      const late = buffer?.counts.late ?? 0;
      const since = lateBefore + late - lateTaken;
      lateBefore = 0;
      lateTaken = late;
      return since;
    },
    close() {
      listeners.clear();
      stop();
    },
  };
  return hearing;
}
