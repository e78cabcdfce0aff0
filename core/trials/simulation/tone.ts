import { recordingLimits, type RecordingManner } from "../../protocol/recordings.ts";

/** A soft tone of 440 Hz on each channel, as recordings are made of it. */
export function toneOf(seconds: number, channels: 1 | 2): Uint8Array<ArrayBuffer> {
  const { sampleRate, bytesOfSample } = recordingLimits;
  const samples = seconds * sampleRate;
  const bytes = new Uint8Array(samples * channels * bytesOfSample);
  const view = new DataView(bytes.buffer);
  for (let n = 0; n < samples; n++) {
    const value = Math.round(2_000 * Math.sin(2 * Math.PI * 440 * n / sampleRate));
    for (let channel = 0; channel < channels; channel++) {
      view.setInt16((n * channels + channel) * bytesOfSample, value, true);
    }
  }
  return bytes;
}

/** The channels of a recording of both sides, or of one. */
export const channelsOf = ({ isMono = false, track = "both" }: RecordingManner = {}): 1 | 2 =>
  isMono || track !== "both" ? 1 : 2;
