import { decodeG711 } from "./g711.ts";
import { mediaLimits } from "../base/limits.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** Audio of a WAV file, mixed down to one channel; full scale is 1. */
export interface WavAudio {
  sampleRate: number;
  samples: Float32Array;
}

interface Format {
  encoding: number;
  channels: number;
  sampleRate: number;
  bits: number;
}

type Decode = (data: DataView, offset: number) => number;

const PCM = 1;
const FLOAT = 3;
const ALAW = 6;
const MULAW = 7;
const EXTENSIBLE = 0xfffe;

const pcmAsFloat = (law: "PCMA" | "PCMU"): Decode => {
  const levels = Float32Array.from(
    decodeG711(law, Uint8Array.from({ length: 0x100 }, (_, code) => code)),
    (level) => level / 0x8000,
  );
  return (data, offset) => levels[data.getUint8(offset)]!;
};

/** Readers of one sample, by "format tag/bits per sample". */
const decoders: Record<string, Decode> = {
  [`${PCM}/8`]: (data, offset) => (data.getUint8(offset) - 0x80) / 0x80,
  [`${PCM}/16`]: (data, offset) => data.getInt16(offset, true) / 0x8000,
  [`${PCM}/24`]: (data, offset) =>
    ((data.getInt8(offset + 2) << 16) | data.getUint16(offset, true)) / 0x80_0000,
  [`${PCM}/32`]: (data, offset) => data.getInt32(offset, true) / 0x8000_0000,
  [`${FLOAT}/32`]: (data, offset) => data.getFloat32(offset, true) || 0,
  [`${FLOAT}/64`]: (data, offset) => data.getFloat64(offset, true) || 0,
  [`${ALAW}/8`]: pcmAsFloat("PCMA"),
  [`${MULAW}/8`]: pcmAsFloat("PCMU"),
};

/** Reads a RIFF WAVE file; throws `Cannot read WAV: …`. A cut-off file gives what it has. */
export function readWav(bytes: Uint8Array): WavAudio {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (tag(file, 0) !== "RIFF" || tag(file, 8) !== "WAVE") throw unreadable("it is not a WAV file");
  let format: Format | undefined;
  let offset = 12;
  for (let chunks = 0; offset + 8 <= file.byteLength; chunks++) {
    if (chunks === mediaLimits.wavChunks) throw unreadable("it has too many chunks");
    const size = sizeOf(file, offset);
    const body = new DataView(
      bytes.buffer,
      bytes.byteOffset + offset + 8,
      Math.min(size, file.byteLength - offset - 8),
    );
    if (tag(file, offset) === "fmt ") format = readFormat(body);
    if (tag(file, offset) === "data") return mixDown(format, body);
    offset += 8 + size + size % 2;
  }
  throw unreadable("it has no audio data");
}

/**
 * Bytes of the chunk at an offset. A writer that could not go back to its header leaves 0 as the size of
 * the audio data, which go on to the end of the file; no other chunk follows then.
 */
function sizeOf(file: DataView, offset: number): number {
  const size = file.getUint32(offset + 4, true);
  if (size > 0 || tag(file, offset) !== "data" || isChunk(file, offset + 8)) return size;
  return file.byteLength - offset - 8;
}

/** Tells whether a chunk with a name in letters, which the file has room for, begins at an offset. */
const isChunk = (file: DataView, offset: number): boolean =>
  offset + 8 <= file.byteLength && /^[A-Za-z][A-Za-z0-9 ]{3}$/.test(tag(file, offset)) &&
  file.getUint32(offset + 4, true) <= file.byteLength - offset - 8;

function readFormat(chunk: DataView): Format {
  if (chunk.byteLength < 16) throw unreadable("its format is cut off");
  const encoding = chunk.getUint16(0, true);
  return {
    // An extensible format begins its GUID with the tag that would stand here (RFC 2361).
    encoding: encoding === EXTENSIBLE && chunk.byteLength >= 26
      ? chunk.getUint16(24, true)
      : encoding,
    channels: chunk.getUint16(2, true),
    sampleRate: chunk.getUint32(4, true),
    bits: chunk.getUint16(14, true),
  };
}

function mixDown(format: Format | undefined, data: DataView): WavAudio {
  if (format === undefined) throw unreadable("its format is missing");
  const { encoding, channels, sampleRate, bits } = format;
  const decode = decoders[`${encoding}/${bits}`];
  if (decode === undefined) throw unreadable(`format ${encoding} with ${bits} bits is unknown`);
  if (channels !== 1 && channels !== 2) throw unreadable(`it has ${channels} channels`);
  if (sampleRate < mediaLimits.sampleRateMin || sampleRate > mediaLimits.sampleRateMax) {
    throw unreadable(`its sample rate is ${sampleRate}`);
  }

  const width = bits / 8;
  const samples = new Float32Array(Math.floor(data.byteLength / (width * channels)));
  for (let i = 0; i < samples.length; i++) {
    const offset = i * width * channels;
    const left = decode(data, offset);
    samples[i] = channels === 1 ? left : (left + decode(data, offset + width)) / 2;
  }
  return { sampleRate, samples };
}

const tag = (view: DataView, offset: number) =>
  offset + 4 > view.byteLength
    ? ""
    : String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(offset + i)));

const unreadable = (why: string) => new Error(`Cannot read WAV: ${why}`);
