import assert from "node:assert/strict";
import { levelOf } from "../../../../sip/media/audio/level.ts";
import { tone } from "../../../support/media/tone.ts";

Deno.test("levelOf() is 0 dBov for the loudest frame and -127 for silence (RFC 6464)", () => {
  assert.equal(levelOf(new Int16Array(160).fill(-32_768)), 0);
  assert.equal(levelOf(new Int16Array(160)), -127);
});

Deno.test("levelOf() falls by 6 dB where the amplitude halves", () => {
  const frame = tone(500, 0.02);
  const [loud, soft] = [levelOf(frame), levelOf(frame.map((sample) => sample / 2))];
  assert.ok(loud > -30 && loud < -3, `${loud}`);
  assert.ok(Math.abs(loud - soft - 6) <= 1, `${loud} and ${soft}`);
});
