import type { Pcm } from "../base/port.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** The two laws of ITU-T G.711: 8 kHz, one byte a sample. */
export type Law = "PCMU" | "PCMA";

const MULAW_BIAS = 0x84;
const CLIP = 32_635;

function decodeMulaw(code: number): number {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + MULAW_BIAS) << ((bits & 0x70) >> 4)) - MULAW_BIAS;
  return (bits & 0x80) !== 0 ? -magnitude : magnitude;
}

function encodeMulaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), CLIP) + MULAW_BIAS;
  const segment = 24 - Math.clz32(magnitude);
  return ~(sign | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff;
}

function decodeAlaw(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits & 0x70) >> 4;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return (bits & 0x80) !== 0 ? magnitude : -magnitude;
}

function encodeAlaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, CLIP);
  const segment = Math.max(0, 24 - Math.clz32(magnitude));
  const mantissa = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0x0f;
  return (sign | (segment << 4) | mantissa) ^ 0x55;
}

/** Encoded samples are looked up by their 16 bits read as unsigned. */
const tables = (decode: (code: number) => number, encode: (sample: number) => number) => ({
  decoded: Int16Array.from({ length: 0x100 }, (_, code) => decode(code)),
  encoded: Uint8Array.from({ length: 0x1_0000 }, (_, bits) => encode(bits << 16 >> 16)),
});

const laws = {
  PCMU: tables(decodeMulaw, encodeMulaw),
  PCMA: tables(decodeAlaw, encodeAlaw),
};

/** Samples to bytes of a law, into bytes of the same length if given. */
export function encodeG711(
  law: Law,
  pcm: Pcm,
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(pcm.length),
): Uint8Array<ArrayBuffer> {
  const { encoded } = laws[law];
  for (let i = 0; i < pcm.length; i++) bytes[i] = encoded[pcm[i]! & 0xffff]!;
  return bytes;
}

/** The sample of each byte of a law, to be read only. */
export const decodedSamples = (law: Law): Pcm => laws[law].decoded;

/** Bytes of a law to samples. */
export function decodeG711(law: Law, bytes: Uint8Array): Pcm {
  const { decoded } = laws[law];
  const pcm = new Int16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) pcm[i] = decoded[bytes[i]!]!;
  return pcm;
}

const crossTable = (from: Law, to: Law) => encodeG711(to, laws[from].decoded);
const crossings = {
  PCMU: crossTable("PCMU", "PCMA"),
  PCMA: crossTable("PCMA", "PCMU"),
};

/** Bytes of one law as bytes of the other. */
export function transcode(from: Law, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const other = crossings[from];
  const result = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = other[bytes[i]!]!;
  return result;
}
