import { recordingLimits } from "../protocol/recordings.ts";
import type { Mp3Encoding } from "./mp3_encoder.ts";
import { createTenantGate } from "../accounts/tenant_gate.ts";
import { beginMp3 } from "./mp3_pool.ts";
import { wavHeaderBytes } from "./wav_header.ts";

/** Of each channel; the highest that telephone speech gains by. */
const kbpsOfChannel = 24;

/** Of an MPEG-2.5 layer III frame; each has the same bytes, as the bit rate is constant. */
const samplesOfFrame = 576;

/** Samples that the encoder adds for its delay. */
const framesBeside = 2;

/**
 * Number of bytes that `mp3Of` makes of a WAV file of so many bytes that begins with these; null where they
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

/** MP3s that are encoded at once: each has an encoder of some 2 MiB. */
export const mp3Gate = createTenantGate({
  what: "MP3 encodings",
  most: 16,
  ofTenant: 3,
  waiting: 100,
  waitMs: 15_000,
});

/** Bytes of the WAV that are encoded in one piece: 4 s of a channel. */
const pieceBytes = 64 << 10;

/** Bytes of an MP3 that are encoded before its client reads them: up to some 10 minutes. */
const aheadBytes = 2 << 20;

/**
 * The MP3 of a recording that is read as its WAV file. It is encoded as fast as it is read, a short one
 * without waiting for its reader. `onEnd` is called once, when nothing is left to encode, also after an
 * error. Cancelling it cancels the WAV. It errors where the WAV does, where that has no whole header,
 * and where its reader takes nothing for `idleMs`.
 */
export function mp3Of(
  wav: ReadableStream<Uint8Array<ArrayBuffer>>,
  { onEnd = () => {}, idleMs = 60_000 }: { onEnd?(): void; idleMs?: number } = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = encoded(wav, beginMp3);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = () => {
    clearTimeout(timer);
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(timer);
      try {
        const { value, done } = await pieces.next();
        if (done) {
          end();
          return controller.close();
        }
        controller.enqueue(value);
      } catch (error) {
        end();
        throw error;
      }
      timer = setTimeout(() => {
        void pieces.return(undefined);
        end();
        controller.error(new Error("the client reads no more of the MP3"));
      }, idleMs);
    },
    async cancel() {
      await pieces.return(undefined);
      end();
    },
  }, { highWaterMark: aheadBytes, size: (made) => made.length });
}

/** The pieces of an MP3. */
async function* encoded(
  wav: ReadableStream<Uint8Array<ArrayBuffer>>,
  begin: () => Mp3Encoding,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let encoding: Mp3Encoding | undefined;
  const { sampleRate, bytesOfSample } = recordingLimits;
  try {
    let rest = new Uint8Array();
    let channels: 1 | 2 | undefined;
    const pieceOf = (bytes: Uint8Array<ArrayBuffer>, isLast: boolean) => ({
      channels: channels!, // The header was read before.
      sampleRate,
      kbps: channels! * kbpsOfChannel as 24 | 48,
      samples: samplesOf(bytes),
      isLast,
    });
    for await (const bytes of wav) {
      rest = joined(rest, bytes);
      if (channels === undefined) {
        if (rest.length < wavHeaderBytes) continue;
        channels = knownChannels(rest);
        rest = rest.subarray(wavHeaderBytes);
      }
      encoding ??= begin();
      while (rest.length >= pieceBytes) {
        const made = await encoding.encode(pieceOf(rest.subarray(0, pieceBytes), false));
        if (made.length > 0) yield made;
        rest = rest.subarray(pieceBytes);
      }
    }
    if (encoding === undefined || channels === undefined) {
      throw new Error("Cannot make MP3: the WAV file has no header");
    }
    const whole = rest.length - rest.length % (channels * bytesOfSample);
    const made = await encoding.encode(pieceOf(rest.subarray(0, whole), true));
    if (made.length > 0) yield made;
  } finally {
    encoding?.close();
  }
}

function knownChannels(beginning: Uint8Array<ArrayBuffer>): 1 | 2 {
  const channels = channelsOf(beginning);
  if (channels === 1 || channels === 2) return channels;
  throw new Error(`Cannot make MP3: the WAV file has ${channels} channels`);
}

function joined(a: Uint8Array<ArrayBuffer>, b: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Little-endian samples, in a buffer of their own. */
const samplesOf = (bytes: Uint8Array<ArrayBuffer>): Int16Array<ArrayBuffer> =>
  new Int16Array(bytes.slice().buffer);
