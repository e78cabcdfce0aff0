import assert from "node:assert/strict";
import {
  isNewerSequence,
  isNewerTimestamp,
  parseRtp,
  writeRtp,
} from "../../../../sip/media/rtp/rtp.ts";

const packet = {
  payloadType: 101,
  marker: true,
  sequence: 0xfffe,
  timestamp: 0xffff_fff0,
  ssrc: 0x8000_0001,
  payload: Uint8Array.of(1, 2, 3),
};

Deno.test("parseRtp() reads what writeRtp() wrote", () => {
  assert.deepEqual(parseRtp(writeRtp(packet)), packet);
});

Deno.test("packets of different lengths are read from one buffer and written into another", () => {
  const [from, into] = [new Uint8Array(64), new Uint8Array(64)];
  for (
    const [length, extended] of [[3, false], [3, false], [4, false], [3, true], [3, false], [
      0,
      false,
    ]]
  ) {
    const payload = new Uint8Array(Number(length)).fill(Number(length) + 1);
    const bytes = writeRtp({ ...packet, payload }, into);
    assert.equal(bytes.length, 12 + payload.length);
    from.set(bytes);
    if (extended) from.set([0x90, from[1]!, ...from.subarray(2, 12), 0, 0, 0, 0, ...payload]);
    const read = parseRtp(from.subarray(0, bytes.length + (extended ? 4 : 0)));
    assert.deepEqual(read, { ...packet, payload });
  }
});

Deno.test("parseRtp() leaves out contributing sources, extension and padding", () => {
  const header = [0x80 | 0x20 | 0x10 | 1, 8, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3];
  const source = [9, 9, 9, 9];
  const extension = [0xbe, 0xde, 0, 1, 7, 7, 7, 7];

  const parsed = parseRtp(Uint8Array.of(...header, ...source, ...extension, 0x55, 0, 2));

  assert.deepEqual([...parsed!.payload], [0x55]);
  assert.equal(parsed!.payloadType, 8);
});

Deno.test("parseRtp() refuses RTCP and every cut-off packet", () => {
  const rtcp = Uint8Array.of(0x80, 200, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3);
  assert.equal(parseRtp(rtcp), undefined);

  const bytes = writeRtp({ ...packet, payload: new Uint8Array() });
  for (let length = 0; length < bytes.length; length++) {
    assert.equal(parseRtp(bytes.subarray(0, length)), undefined);
  }
  for (const first of [0x00, 0x8f, 0x90, 0xa0 | 0x0f]) {
    const broken = bytes.slice();
    broken[0] = first;
    assert.equal(parseRtp(broken), undefined, `first byte ${first}`);
  }
});

Deno.test("isNewerSequence() and isNewerTimestamp() see through the wrap", () => {
  assert.equal(isNewerSequence(0, 0xffff), true);
  assert.equal(isNewerSequence(0xffff, 0), false);
  assert.equal(isNewerSequence(5, 5), false);
  assert.equal(isNewerTimestamp(100, 0xffff_ff00), true);
  assert.equal(isNewerTimestamp(0xffff_ff00, 100), false);
});
