import assert from "node:assert/strict";
import { type Condition, fitsPattern, matches } from "../../../core/base/filters.ts";

Deno.test("fitsPattern() takes * for any run of characters and all else for itself", () => {
  const cases: [text: string, pattern: string, fits: boolean][] = [
    ["", "", true],
    ["", "*", true],
    ["a", "", false],
    ["", "a", false],
    ["+1555", "+1555", true],
    ["+1555", "+155", false],
    ["+1555", "+1*", true],
    ["+1555", "*5", true],
    ["+1555", "*15*", true],
    ["+1555", "+*6", false],
    ["abcabd", "*abd", true],
    ["aaa", "a*a*a", true],
    ["aa", "a*a*a", false],
    ["a.c", "a.c", true],
    ["abc", "a.c", false],
    ["a\nb", "a*b", true],
    ["a*b", "a**b", true],
  ];
  for (const [text, pattern, fits] of cases) {
    assert.equal(fitsPattern(text, pattern), fits, `${text} ${pattern}`);
  }
});

Deno.test("fitsPattern() agrees with a regular expression on random short texts", () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const word = (letters: string) =>
    Array.from({ length: random(8) }, () => letters[random(letters.length)]).join("");
  for (let round = 0; round < 5_000; round++) {
    const [text, pattern] = [word("ab"), word("ab*")];
    const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text);
    assert.equal(fitsPattern(text, pattern), expected, `${text} ${pattern}`);
  }
});

Deno.test("fitsPattern() stays quick on a pattern made to be slow", () => {
  const steps = performance.now();
  assert.equal(fitsPattern("a".repeat(5_000), "*a".repeat(500) + "b"), false);
  assert.ok(performance.now() - steps < 10_000);
});

Deno.test("matches() wants every condition to hold", () => {
  const record = { status: "busy", to: "client:Alice", startTime: 1_000, log: 0, price: null };
  const cases: [Condition[], boolean][] = [
    [[], true],
    [[{ field: "status", op: "equals", value: "busy" }], true],
    [[{ field: "log", op: "equals", value: "0" }], true],
    [[{ field: "price", op: "equals", value: "0" }], false],
    [[{ field: "to", op: "contains", value: "aLICE" }], true],
    [[{ field: "to", op: "matches", value: "client:*" }], true],
    [[{ field: "startTime", op: "between", from: 1_000, before: 1_001 }], true],
    [[{ field: "startTime", op: "between", from: 0, before: 1_000 }], false],
    [[{ field: "price", op: "between", from: -Infinity, before: Infinity }], false],
    [[
      { field: "status", op: "equals", value: "busy" },
      { field: "to", op: "equals", value: "client:alice" },
    ], false],
  ];
  for (const [conditions, expected] of cases) {
    assert.equal(matches(record, conditions), expected, JSON.stringify(conditions));
  }
});
