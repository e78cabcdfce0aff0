import assert from "node:assert/strict";
import { decodeG711, encodeG711, transcode } from "../../../../sip/media/codecs/g711.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

const codes = Uint8Array.from({ length: 256 }, (_, code) => code);

Deno.test("decodeG711() gives the levels of ITU-T G.711", () => {
  const mulaw = decodeG711("PCMU", Uint8Array.of(0xff, 0x7f, 0x00, 0x80, 0xf0, 0x8f));
  assert.deepEqual([...mulaw], [0, 0, -32124, 32124, 120, 16764]);

  const alaw = decodeG711("PCMA", Uint8Array.of(0xd5, 0x55, 0x2a, 0xaa));
  assert.deepEqual([...alaw], [8, -8, -32256, 32256]);
});

Deno.test("encodeG711() gives back every code that decodeG711() read", () => {
  assert.deepEqual([...encodeG711("PCMA", decodeG711("PCMA", codes))], [...codes]);
  // Mu-law has two codes for zero.
  const expected = [...codes].map((code) => code === 0x7f ? 0xff : code);
  assert.deepEqual([...encodeG711("PCMU", decodeG711("PCMU", codes))], expected);
});

Deno.test("encodeG711() chooses the nearest level for every sample", () => {
  const samples = Int16Array.from({ length: 0x1_0000 }, (_, i) => i - 0x8000);
  for (const law of ["PCMU", "PCMA"] as const) {
    const decoded = decodeG711(law, encodeG711(law, samples));
    for (let i = 0; i < samples.length; i++) {
      const step = Math.max(16, Math.abs(samples[i]!) / 16);
      assert.ok(Math.abs(decoded[i]! - samples[i]!) <= step + 644, `${law} ${samples[i]}`);
    }
  }
});

Deno.test("transcode() keeps a tone as loud as it was, both ways", () => {
  const original = tone(1_010, 0.1);
  for (const [from, to] of [["PCMU", "PCMA"], ["PCMA", "PCMU"]] as const) {
    const heard = decodeG711(to, transcode(from, encodeG711(from, original)));
    assert.ok(Math.abs(amplitudeOf(1_010, heard) - 8_000) < 200, `${from} to ${to}`);
  }
});
