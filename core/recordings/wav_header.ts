import { recordingLimits } from "../protocol/recordings.ts";

export const wavHeaderBytes = 44;

/** The start of a RIFF WAVE file with so many bytes of 16-bit PCM samples after it. */
export function wavHeader(channels: number, dataBytes: number): Uint8Array<ArrayBuffer> {
  const { sampleRate, bytesOfSample } = recordingLimits;
  const bytes = new Uint8Array(wavHeaderBytes);
  const view = new DataView(bytes.buffer);
  const tag = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  tag(0, "RIFF");
  view.setUint32(4, wavHeaderBytes - 8 + dataBytes, true);
  tag(8, "WAVE");
  tag(12, "fmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * channels * bytesOfSample, true);
  view.setUint16(32, channels * bytesOfSample, true);
  view.setUint16(34, bytesOfSample * 8, true);
  tag(36, "data");
  view.setUint32(40, dataBytes, true);
  return bytes;
}
