import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import { readWav } from "../../../../sip/media/codecs/wav.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { pcmFile, type WavFile, wavFile } from "../../../support/media/wav_file.ts";

const AMPLITUDE = 8_000 / 0x8000;
const original = tone(1_010, 0.1);
const scaled = Float64Array.from(original, (sample) => sample / 0x8000);

/** The tone in the encoding of a file, one sample a call. */
function data(bytes: number, write: (view: DataView, offset: number, sample: number) => void) {
  const view = new DataView(new ArrayBuffer(scaled.length * bytes));
  scaled.forEach((sample, i) => write(view, i * bytes, sample));
  return new Uint8Array(view.buffer);
}

const files: Record<string, WavFile> = {
  "8-bit PCM": {
    encoding: 1,
    bits: 8,
    data: data(1, (view, at, x) => view.setUint8(at, Math.round(x * 128 + 128))),
  },
  "16-bit PCM": {
    encoding: 1,
    bits: 16,
    data: data(2, (view, at, x) => view.setInt16(at, x * 0x8000, true)),
  },
  "24-bit PCM": {
    encoding: 1,
    bits: 24,
    data: data(3, (view, at, x) => {
      const level = Math.round(x * 0x80_0000);
      view.setUint16(at, level & 0xffff, true);
      view.setInt8(at + 2, level >> 16);
    }),
  },
  "32-bit PCM": {
    encoding: 1,
    bits: 32,
    data: data(4, (view, at, x) => view.setInt32(at, x * 0x8000_0000, true)),
  },
  "32-bit float": {
    encoding: 3,
    bits: 32,
    data: data(4, (view, at, x) => view.setFloat32(at, x, true)),
  },
  "64-bit float": {
    encoding: 3,
    bits: 64,
    data: data(8, (view, at, x) => view.setFloat64(at, x, true)),
  },
  "A-law": { encoding: 6, bits: 8, data: encodeG711("PCMA", original) },
  "mu-law": { encoding: 7, bits: 8, data: encodeG711("PCMU", original) },
};

for (const [name, file] of Object.entries(files)) {
  for (const extensible of [false, true]) {
    Deno.test(`readWav() reads ${name}${extensible ? " in an extensible file" : ""}`, () => {
      const { samples, sampleRate } = readWav(wavFile({ ...file, extensible }));

      assert.equal(sampleRate, 8_000);
      assert.equal(samples.length, original.length);
      const amplitude = amplitudeOf(1_010, samples);
      assert.ok(Math.abs(amplitude - AMPLITUDE) < AMPLITUDE * 0.02, `amplitude ${amplitude}`);
    });
  }
}

Deno.test("readWav() mixes both channels of a stereo file", () => {
  const stereo = new Int16Array(2 * original.length);
  const other = tone(2_020, 0.1);
  original.forEach((sample, i) => stereo.set([sample, other[i]!], 2 * i));

  const bytes = new Uint8Array(stereo.buffer);
  const { samples } = readWav(wavFile({ encoding: 1, bits: 16, channels: 2, data: bytes }));

  assert.equal(samples.length, original.length);
  for (const hz of [1_010, 2_020]) {
    assert.ok(Math.abs(amplitudeOf(hz, samples) - AMPLITUDE / 2) < 0.002, `${hz} Hz`);
  }
});

Deno.test("readWav() gives what a cut-off file has", () => {
  const whole = pcmFile(original);
  const { samples } = readWav(whole.subarray(0, whole.length - original.length));
  assert.equal(samples.length, original.length / 2);
});

/** The file with a size of its audio data in the header that is not theirs. */
function withDataSize(file: WavFile, size: number): Uint8Array {
  const bytes = wavFile(file);
  const header = new TextEncoder().encode("data");
  const at = bytes.findIndex((_, index) => header.every((byte, n) => bytes[index + n] === byte));
  new DataView(bytes.buffer).setUint32(at + 4, size, true);
  return bytes;
}

Deno.test("readWav() reads streamed audio, whose header has no size, to the end of the file", () => {
  const file = files["16-bit PCM"]!;
  for (const data of [file.data, new Uint8Array(file.data.length), Uint8Array.of(1, 2)]) {
    for (const size of [0, 0xffff_ffff]) {
      const { samples } = readWav(withDataSize({ ...file, data }, size));
      assert.equal(samples.length, data.length / 2);
    }
  }
});

Deno.test("readWav() reads no audio where another chunk follows data of size 0", () => {
  const empty = wavFile({ encoding: 1, bits: 16, data: new Uint8Array() });
  assert.equal(readWav(empty).samples.length, 0);
  const chunk = new TextEncoder().encode("LIST\x08\0\0\0INFOabcd");
  assert.equal(readWav(Uint8Array.from([...empty, ...chunk])).samples.length, 0);
});

Deno.test("readWav() says what it cannot read", () => {
  const file: WavFile = { encoding: 1, bits: 16, data: new Uint8Array(4) };
  const manyChunks = new TextEncoder().encode("RIFF....WAVE" + "LIST\0\0\0\0".repeat(2_000));
  const cases: [Uint8Array, RegExp][] = [
    [new Uint8Array(), /not a WAV file/],
    [new TextEncoder().encode("<!doctype html><title>404</title>"), /not a WAV file/],
    [wavFile(file).subarray(0, 40), /no audio data/],
    [wavFile({ ...file, encoding: 2 }), /format 2 with 16 bits is unknown/],
    [wavFile({ ...file, bits: 12 }), /format 1 with 12 bits is unknown/],
    [wavFile({ ...file, channels: 6 }), /6 channels/],
    [wavFile({ ...file, channels: 0 }), /0 channels/],
    [manyChunks, /too many chunks/],
    [wavFile({ ...file, sampleRate: 1 }), /sample rate is 1/],
  ];
  for (const [bytes, message] of cases) {
    assert.throws(() => readWav(bytes), message);
    assert.throws(() => readWav(bytes), /^Error: Cannot read WAV: /);
  }
});

Deno.test("readWav() reads or refuses every cut-off file, and never fails otherwise", () => {
  const whole = wavFile({ ...files["24-bit PCM"]!, extensible: true });
  for (let length = 0; length < 120; length++) {
    try {
      readWav(whole.subarray(0, length));
    } catch (error) {
      assert.match(String(error), /^Error: Cannot read WAV: /);
    }
  }
});
