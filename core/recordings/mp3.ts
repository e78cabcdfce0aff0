import { recordingLimits } from "../protocol/recordings.ts";
import { wavHeaderBytes } from "./wav_header.ts";

/** Of each channel; the highest that telephone speech gains by. */
const kbpsOfChannel = 24;

/** Of an MPEG-2.5 layer III frame; each has the same bytes, as the bit rate is constant. */
const samplesOfFrame = 576;

/** What the encoder adds for its delay. */
const framesBeside = 2;

/**
 * How many bytes `mp3Of` makes of a WAV file of so many bytes that begins with these; null where they
 * are no whole header.
 */
export function mp3Length(beginning: Uint8Array<ArrayBuffer>, wavBytes: number): number | null {
  if (beginning.length < wavHeaderBytes) return null;
  const { sampleRate, bytesOfSample } = recordingLimits;
  const channels = channelsOf(beginning);
  const samples = Math.floor((wavBytes - wavHeaderBytes) / (channels * bytesOfSample));
  const bitrate = channels * kbpsOfChannel * 1_000;
  const bytesOfFrame = samplesOfFrame * bitrate / 8 / sampleRate;
  return (Math.ceil(samples / samplesOfFrame) + framesBeside) * bytesOfFrame;
}

const channelsOf = ({ buffer, byteOffset }: Uint8Array<ArrayBuffer>): number =>
  new DataView(buffer, byteOffset).getUint16(22, true);

/**
 * The MP3 of a recording that is read as its WAV file, encoded as fast as it is read: nothing is kept,
 * and cancelling it cancels the WAV. It errors where the WAV does, and where that has no whole header.
 */
export function mp3Of(
  wav: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let rest = new Uint8Array();
  let encoder: Awaited<ReturnType<typeof openEncoder>> | undefined;
  let channels = 1;
  const transform = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    async transform(bytes, out) {
      rest = joined(rest, bytes);
      if (encoder === undefined) {
        if (rest.length < wavHeaderBytes) return;
        channels = channelsOf(rest);
        encoder = await openEncoder(channels);
        rest = rest.subarray(wavHeaderBytes);
      }
      const block = channels * recordingLimits.bytesOfSample;
      const whole = rest.length - rest.length % block;
      const made = encoder.encode(samplesOf(rest.subarray(0, whole), channels));
      rest = rest.slice(whole);
      // The encoder writes its next bytes over these.
      if (made.length > 0) out.enqueue(made.slice());
    },
    flush(out) {
      if (encoder === undefined) throw new Error("Cannot make MP3: the WAV file has no header");
      const made = encoder.finalize();
      if (made.length > 0) out.enqueue(made.slice());
    },
  });
  return wav.pipeThrough(transform);
}

/** Loads the encoder with the first MP3 that is asked for. */
async function openEncoder(channels: number) {
  if (channels !== 1 && channels !== 2) {
    throw new Error(`Cannot make MP3: the WAV file has ${channels} channels`);
  }
  const { createMp3Encoder } = await import("wasm-media-encoders");
  const encoder = await createMp3Encoder();
  const { sampleRate } = recordingLimits;
  const bitrate = channels === 1 ? kbpsOfChannel : 2 * kbpsOfChannel as 48;
  encoder.configure({ channels, sampleRate, bitrate, outputSampleRate: sampleRate });
  return encoder;
}

function joined(a: Uint8Array<ArrayBuffer>, b: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Interleaved 16-bit samples, by channel and between -1 and 1. */
function samplesOf(bytes: Uint8Array<ArrayBuffer>, channels: number): Float32Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = bytes.length / (channels * recordingLimits.bytesOfSample);
  return Array.from(
    { length: channels },
    (_, channel) =>
      Float32Array.from(
        { length },
        (_, at) =>
          view.getInt16((at * channels + channel) * recordingLimits.bytesOfSample, true) / 32_768,
      ),
  );
}
