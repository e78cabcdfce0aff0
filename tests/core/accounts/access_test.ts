import assert from "node:assert/strict";
import { isSameSecret } from "../../../core/accounts/access.ts";

Deno.test("isSameSecret() is true for the same text only", () => {
  const secrets = ["", "a", "ab", "ba", "abab", "f".repeat(32), "f".repeat(33), "0".repeat(32)];

  for (const given of secrets) {
    for (const expected of secrets) {
      assert.equal(isSameSecret(given, expected), given === expected, `${given} ${expected}`);
    }
  }
});
