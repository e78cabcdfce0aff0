import assert from "node:assert/strict";
import { alphabets } from "../../../core/machine/adapters/smpp/library.ts";
import { segmentsOf } from "../../../core/machine/adapters/smpp/text.ts";
import { partsOf, segmentCount } from "../../../core/messages/segments.ts";
import { septetsOf } from "../../../core/model/values/ussd_length.ts";

const whale = "\u{1f433}";

Deno.test("partsOf() cuts neither an escape pair nor a surrogate pair", () => {
  const cases: [text: string, parts: number][] = [
    ["", 1],
    ["a".repeat(160), 1],
    ["a".repeat(161), 2],
    ["]".repeat(80), 1],
    ["]".repeat(81), 2],
    ["]".repeat(152), 2],
    ["]".repeat(153), 3], // 76 pairs fit into 153 septets.
    ["a".repeat(152) + "]" + "a".repeat(152), 3],
    [whale.repeat(35), 1],
    [whale.repeat(36), 2],
    [whale.repeat(66), 2],
    [whale.repeat(67), 3], // 33 pairs fit into 67 code units.
    [whale.repeat(800), 25],
    ["ç".repeat(70), 1],
    ["ç".repeat(71), 2],
  ];
  for (const [text, count] of cases) {
    const { parts } = partsOf(text);
    assert.equal(parts.length, count, `${[...text].length} of ${text.slice(0, 2)}`);
    assert.equal(parts.join(""), text);
    assert.ok(parts.every((part) => part.isWellFormed()));
  }
});

Deno.test("SMPP sends the counted parts, and each fits into a message", () => {
  const letters = ["a", "]", "€", "é", "ç", "\n", whale, "中"];
  let seed = 7;
  const next = (most: number) => (seed = seed * 48_271 % 0x7fffffff) % most;
  for (let n = 0; n < 500; n++) {
    const some = letters.slice(0, 1 + next(letters.length));
    const text = Array.from({ length: 1 + next(500) }, () => some[next(some.length)]).join("");
    const sent = segmentsOf(text, n);
    assert.equal(sent.length, segmentCount(text));
    for (const { short_message, esm_class, data_coding } of sent) {
      const most = data_coding === 0 ? 160 : 140;
      const header = esm_class === 0 ? 0 : data_coding === 0 ? 7 : 6;
      const octets = short_message.length - (esm_class === 0 ? 0 : 6);
      assert.ok(octets + header <= most, `${octets} octets`);
    }
  }
});

Deno.test("the GSM alphabet is that of the library that encodes it, but for the escape", () => {
  for (let code = 0; code < 0x10000; code++) {
    const letter = String.fromCharCode(code);
    const isKnown = alphabets.gsm.match(letter) && letter !== "\x1b";
    assert.equal(septetsOf.has(letter), isKnown, code.toString(16));
    if (isKnown) assert.equal(alphabets.gsm.encode(letter).length, septetsOf.get(letter));
  }
});
