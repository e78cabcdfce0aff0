export interface WavFile {
  /** Format tag: 1 PCM, 3 float, 6 A-law, 7 mu-law. */
  encoding: number;
  bits: number;
  channels?: number;
  sampleRate?: number;
  /** Encoded samples. */
  data: Uint8Array;
  extensible?: boolean;
  /** Puts an unrelated chunk of odd length before the audio. Default: true. */
  unrelated?: boolean;
}

/** The bytes of a RIFF WAVE file. */
export function wavFile(file: WavFile): Uint8Array<ArrayBuffer> {
  const { encoding, bits, channels = 1, sampleRate = 8_000, data, extensible = false } = file;
  const { unrelated = true } = file;
  const format = new DataView(new ArrayBuffer(extensible ? 40 : 16));
  format.setUint16(0, extensible ? 0xfffe : encoding, true);
  format.setUint16(2, channels, true);
  format.setUint32(4, sampleRate, true);
  format.setUint32(8, sampleRate * channels * bits / 8, true);
  format.setUint16(12, channels * bits / 8, true);
  format.setUint16(14, bits, true);
  if (extensible) format.setUint16(24, encoding, true);
  const body = [
    ...chunk("fmt ", new Uint8Array(format.buffer)),
    ...unrelated ? chunk("LIST", Uint8Array.of(1, 2, 3)) : [],
    ...chunk("data", data),
  ];
  return Uint8Array.from([...chunk("RIFF", Uint8Array.from([...ascii("WAVE"), ...body]))]);
}

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

function chunk(tag: string, content: Uint8Array): number[] {
  const size = new Uint8Array(new Uint32Array([content.length]).buffer);
  return [...ascii(tag), ...size, ...content, ...(content.length % 2 === 1 ? [0] : [])];
}

/** 16-bit mono PCM as a file that the simplest of readers understands. */
export const pcmFile = (pcm: Int16Array<ArrayBuffer>, sampleRate = 8_000) =>
  wavFile({
    encoding: 1,
    bits: 16,
    sampleRate,
    data: new Uint8Array(pcm.buffer),
    unrelated: false,
  });
