import type { OpusCodec } from "../codecs/opus.ts";
import { createDoubler, createHalver } from "../codecs/double_rate.ts";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";
import type { StreamEncoding } from "../base/stream_port.ts";
import type { Ticker } from "../base/ticker.ts";
import type { StreamedLeg } from "../streams/open_stream.ts";
import { createTrackFrames } from "../streams/track.ts";
import type { AudioLeg } from "./audio_leg.ts";
import type { OpusEdge } from "./opus_edge.ts";

/** The parts of a leg that a stream is made of. */
export interface StreamedParts {
  sound: AudioLeg;
  ticker: Ticker;
  now(): number;
  /** Of a peer that has Opus alone. */
  opus: { edge: OpusEdge; codec: OpusCodec } | undefined;
}

/** A leg as a stream of an encoding sees it; `close` frees what it was made with. */
export function streamedLeg(
  { sound, ticker, now, opus }: StreamedParts,
  encoding: StreamEncoding,
): StreamedLeg & { close(): void } {
  const { tap, onDigits } = sound;
  const narrow: StreamedLeg = {
    tap,
    playFrom: (next) => sound.playFrom({ next }),
    onDigits,
    onTick: (listener) => ticker.turn().listen("hear", listener),
    now,
  };
  if (encoding === "audio/x-mulaw") return { ...narrow, close() {} };
  return opus === undefined
    ? { ...doubled(narrow), close() {} }
    : wide(doubled(narrow), { sound, edge: opus.edge, codec: opus.codec.openWide() });
}

/** A leg of 8 kHz for a stream of 16 kHz. */
function doubled(leg: StreamedLeg): StreamedLeg {
  return {
    ...leg,
    tap(track, onFrame) {
      const double = createDoubler();
      return leg.tap(track, (frame) => onFrame(double(frame)));
    },
    playFrom(source) {
      const halve = createHalver();
      return leg.playFrom(() => {
        const frame = source();
        return frame && halve(frame);
      });
    },
  };
}

/** A leg of Opus for a stream of 16 kHz: past what is narrow within. */
function wide(
  leg: StreamedLeg,
  { sound, edge, codec }: { sound: AudioLeg; edge: OpusEdge; codec: OpusCodec },
): StreamedLeg & { close(): void } {
  return {
    ...leg,
    tap(track, onFrame) {
      if (track === "outbound") return leg.tap(track, onFrame);
      const { now } = leg;
      const frames = createTrackFrames({ onFrame, now, frameSamples: 2 * FRAME_SAMPLES });
      const stops = [
        edge.onAudio((packet) => {
          const { isMuted } = sound;
          const payload = packet.payload.slice(); // It is lent.
          frames.packet(packet, () => heard(codec, payload, isMuted));
        }),
        leg.onTick(frames.tick),
      ];
      return () => stops.forEach((stop) => stop());
    },
    playFrom(source) {
      const halve = createHalver();
      let frame: Pcm | undefined;
      return sound.playFrom({
        next() {
          frame = source();
          return frame && halve(frame);
        },
        onSend() {
          if (frame !== undefined) edge.replaceNext(codec.encode(frame));
        },
      });
    },
    close: codec.close,
  };
}

/** The sound of a packet; silence for one that is none of Opus, and while the peer is muted. */
function heard(codec: OpusCodec, payload: Uint8Array, isMuted: boolean): Pcm {
  const silence: Pcm = new Int16Array(2 * FRAME_SAMPLES);
  try {
    const pcm = codec.decode(payload);
    return isMuted ? silence : pcm;
  } catch {
    return silence;
  }
}
