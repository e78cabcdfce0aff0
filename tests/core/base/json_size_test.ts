import assert from "node:assert/strict";
import { hasMoreValues } from "../../../core/base/json_size.ts";

Deno.test("hasMoreValues() counts members, elements, arrays and objects outside of strings", () => {
  const value = { a: [1, 2], b: 'x,"[\\",{\\\\', c: {} }; // Three objects and arrays, three commas.
  const text = JSON.stringify(value);

  assert.deepEqual([5, 6].map((most) => hasMoreValues(text, most)), [true, false]);
});

Deno.test("hasMoreValues() takes any text", () => {
  for (const text of ["", '"', '"\\', '"\\"', '\\"', '"a"b"', '"'.repeat(9), "\\".repeat(9)]) {
    assert.equal(hasMoreValues(text, 0), false, text);
  }
  assert.equal(hasMoreValues('"\\\\",', 0), true);
});
