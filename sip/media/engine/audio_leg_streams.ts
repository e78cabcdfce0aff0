import type { Source, State, TappedPacket } from "./audio_leg_state.ts";
import { decodeG711 } from "../codecs/g711.ts";
import type { Pcm } from "../base/port.ts";
import type { Track } from "../base/stream_port.ts";
import { createTrackFrames } from "../streams/track.ts";

/** Hands on the frames of a track, each as soon as it is complete. */
export function tap(state: State, track: Track, onFrame: (frame: Pcm) => void): () => void {
  if (state.closed) return () => {};
  const frames = createTrackFrames({ onFrame, now: state.now });
  const remove = state.taps[track].add((part) => {
    if ("frame" in part) frames.frame(part.frame);
    else {
      const pcm = samplesOf(part); // At once: the payload is lent.
      frames.packet(part.packet, () => pcm);
    }
  });
  const stopTicking = state.turn.listen("hear", frames.tick);
  return () => {
    remove();
    stopTicking();
  };
}

function samplesOf({ packet: { payload }, law, isMuted }: TappedPacket): Pcm {
  return isMuted ? new Int16Array(payload.length) : decodeG711(law, payload);
}

/** Has a leg send what a source has; the result ends it. */
export function playFrom(state: State, own: Source): () => void {
  if (state.closed) return () => {};
  state.streamed.unshift(own);
  return () => {
    state.streamed = state.streamed.filter((each) => each !== own);
  };
}
