import type { RecordingManner } from "../../../core/protocol/recordings.ts";
import {
  createVoiceDetector,
  FRAME_SAMPLES,
  type Pcm,
  trimSilence,
  type WriteSamples,
} from "../../media/mod.ts";

/** Takes two sides, a channel each, and hands on what of them is recorded. */
export interface RecordingWriter {
  write: WriteSamples;
  /** No more comes: hands on what is left. */
  end(): void;
}

/** Channels of a recording. */
export const channelsOf = ({ track = "both", isMono = false }: RecordingManner): 1 | 2 =>
  track === "both" && !isMono ? 2 : 1;

/**
 * Hands on both channels, their mix, or one of them; `inbound` is the first. With `trim` it leaves
 * out silence at both ends.
 */
export function recordingWriter(manner: RecordingManner, hand: WriteSamples): RecordingWriter {
  const channels = channelsOf(manner);
  const read = channels === 2 ? (samples: Pcm) => samples : monoOf(manner.track ?? "both");
  if (!manner.trim) return { write: (samples) => hand(read(samples)), end() {} };
  const trimmed = trimmedWriter(hand, channels);
  return { write: (samples) => trimmed.write(read(samples)), end: trimmed.end };
}

/** Hands on whole frames without silence at both ends, whichever of its channels has a voice. */
export function trimmedWriter(
  hand: WriteSamples,
  channels: 1 | 2 = 1,
): RecordingWriter {
  const isVoice = createVoiceDetector();
  const mono = channels === 2 ? monoOf("both") : (samples: Pcm) => samples;
  const length = FRAME_SAMPLES * channels;
  const frames = trimSilence(hand, length);
  return {
    write(samples) {
      for (let at = 0; at + length <= samples.length; at += length) {
        const frame = samples.subarray(at, at + length);
        frames.push(frame, isVoice(mono(frame)));
      }
    },
    end: () => frames.end(),
  };
}

/** One of two interleaved channels, or the mean of both. */
function monoOf(track: "both" | "inbound" | "outbound"): (samples: Pcm) => Pcm {
  const [first, second] = track === "both" ? [0, 1] : track === "inbound" ? [0, 0] : [1, 1];
  return (samples) => {
    const mono: Pcm = new Int16Array(samples.length / 2);
    for (let i = 0; i < mono.length; i++) {
      const sum = (samples[2 * i + first] ?? 0) + (samples[2 * i + second] ?? 0);
      mono[i] = track === "both" ? Math.max(-32_768, Math.min(32_767, sum)) : sum >> 1;
    }
    return mono;
  };
}
