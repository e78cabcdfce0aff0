import assert from "node:assert/strict";
import process from "node:process";
import { RE2JS, RE2Set } from "re2js";
import { limits } from "../../../../core/base/limits.ts";
import {
  isPattern,
  isVirtualNumber,
  patternSet,
  programSize,
} from "../../../../core/model/values/number_pattern.ts";

const fitsPattern = (text: string, pattern: string) =>
  patternSet([pattern]).fitting(text).length === 1;

/** CPU seconds of the process. */
function cpuS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The dearest patterns of their size: their states differ with each digit. */
const dear = (n: number) => `.{0,99}.{0,99}x${n}`;

Deno.test("isVirtualNumber() takes digits, signs and patterns that match in linear time", () => {
  for (const text of ["1234", "*100#", "+1555.*", "^12|34$", "[1-3]00", "(?:1|2)\\d{2}", "a.b"]) {
    assert.equal(isVirtualNumber(text), true, text);
  }
  const wrong = ["", "a b", "(", "[1", "(?=1)", "(?!1)", "(?<=1)", "(?<n>1)", "(1)\\1", "é", "<"]
    .concat(["1".repeat(129), "(1{9}){9}", "1{100}", "\\k<n>", "1\n"]);
  for (const text of wrong) assert.equal(isVirtualNumber(text), false, text);
});

Deno.test("isVirtualNumber() accepts patterns within the bounds without compiling their counts", () => {
  const counts = [
    "{9}",
    "{1,9}",
    "{9,1}",
    "{99,}",
    "{0,999}",
    "{0,1001}",
    "{,9}",
    "{9}{9}",
    "[{9,1}]",
  ];
  for (const count of counts) {
    for (const text of [`1${count}`, `1${count}*`, `\\${count}`, `[1${count}]`, `(1${count})+`]) {
      if (isVirtualNumber(text)) RE2JS.compile(text);
    }
  }
  assert.equal(isVirtualNumber("1{9,1}"), false);
  assert.equal(isVirtualNumber("1{0,999}"), true);
  const [few, many] = ["[01]?", "[01]{0,99}"].map((part) => `${part.repeat(12)}#`);
  for (const text of [few, many]) for (let n = 0; n < 300; n++) isVirtualNumber(text!);
  const ms = (text: string) => {
    const before = cpuS();
    for (let n = 0; n < 2_000; n++) isVirtualNumber(text);
    return cpuS() - before;
  };
  const [one, other] = [ms(few!), ms(many!)];

  assert.ok(other < 10 * one, `${other} s with counts, ${one} s without`);
});

Deno.test("isPattern() is true for a pattern, not for a number with signs", () => {
  for (const text of ["1234", "+15551234", "*100#", "#31#", "*", "12-34"]) {
    assert.equal(isPattern(text), false, text);
  }
  for (const text of ["12*", "1+", "+1555.*", "[1-3]00", "1|2", "^1", "1$", "1?", "\\*1", "1{2}"]) {
    assert.equal(isPattern(text), true, text);
  }
});

Deno.test("patternSet() takes the whole number, unless the pattern is anchored or has alternatives", () => {
  const fits: [pattern: string, number: string, expected: boolean][] = [
    ["+1555.*", "+15551234", true],
    ["+1555.*", "5+15551234", false],
    ["[1-3]00", "200", true],
    ["[1-3]00", "2000", false],
    ["*9\\d", "*91", true],
    ["^12|34$", "1299", true],
    ["^12|34$", "9934", true],
    ["^12|34$", "9912", false],
    ["^12", "1299", true],
    ["[|$]2", "912", false],
    ["1\\$2", "1$2", true],
    ["1\\$2", "1$29", false],
  ];
  for (const [pattern, number, expected] of fits) {
    assert.equal(fitsPattern(number, pattern), expected, `${pattern} ${number}`);
  }
});

/** Pieces that patterns are made of, nonsense included. */
const pieces = [
  "1",
  "2",
  ".",
  "*",
  "+",
  "?",
  "|",
  "^",
  "$",
  "(",
  ")",
  "(?:",
  "[12]",
  "[^3]",
  "[]a]",
]
  .concat(["\\d", "\\w", "\\*", "{9}", "{1,99}", "{0,3}", "{5,}", "{99}", "{,3}", "a", "#", "-"])
  .concat([":", "\\\\", "[", "]", "{", "}", ",", "\\W", "*?", "+?", "{2}?"]);

/** Random texts of such pieces, the same in each run. */
function* madeUp(count: number): Generator<string> {
  let seed = 7;
  const below = (bound: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(seed / 2 ** 31 * bound);
  };
  for (let n = 0; n < count; n++) {
    yield Array.from({ length: 1 + below(10) }, () => pieces[below(pieces.length)]).join("");
  }
}

/** A pattern as RE2 reads it, without what encloses it. */
const plain = (pattern: string) => pattern.replaceAll(/(^|[\^|(])(?=[*+])/g, "$1\\");

Deno.test("programSize() is at least the size of the compiled pattern", () => {
  let valid = 0;
  for (const pattern of madeUp(20_000)) {
    if (!isVirtualNumber(pattern)) continue;
    valid++;
    const set = new RE2Set(RE2Set.UNANCHORED, 0, 1_000);
    set.add(`\\A(?:${plain(pattern)})\\z`);
    set.compile();
    assert.ok(set.prog.numInst() <= programSize(pattern), pattern);
  }
  assert.ok(valid > 2_000, `${valid}`);
});

Deno.test("patternSet() finds the same matches as each pattern by itself", () => {
  const patterns = [...madeUp(3_000)].filter(isVirtualNumber).slice(0, 60);
  const texts = ["1", "12", "112", "a1", "+1", "111111111", "1".repeat(40), "21#", "-:", "", "*2"];
  for (let at = 0; at + 20 <= patterns.length; at += 20) {
    const some = patterns.slice(at, at + 20);
    const set = patternSet(some);
    assert.equal(set.leftOut, 0);
    for (const text of texts) {
      const expected = [...some.keys()].filter((n) => {
        const expression = RE2JS.compile(plain(some[n]!));
        const isOpen = /[\^$|]/.test(some[n]!.replaceAll(/\\.|\[\^?\]?[^\]]*\]/g, ""));
        return isOpen ? expression.matcher(text).find() : expression.matches(text);
      });
      assert.deepEqual(set.fitting(text), expected, JSON.stringify({ text, some }));
    }
  }
});

Deno.test("patternSet() takes the first patterns that fit its bound, and no long text", () => {
  const many = Array.from({ length: limits.patternsOfTenant + 5 }, (_, n) => `7${n}.`);
  assert.equal(patternSet(many).leftOut, 5);
  assert.deepEqual(patternSet(many).fitting("700"), [0]);
  const large = Array.from({ length: 10 }, (_, n) => dear(n));
  const room = Math.floor(limits.patternInstructions / programSize(dear(0)));
  assert.equal(patternSet(large).leftOut, 10 - room);
  assert.deepEqual(patternSet(large).fitting("x0"), [0]);
  assert.deepEqual(patternSet(large).fitting("x9"), []);
  const first = patternSet([".{0,99}".repeat(15), "7."]);
  assert.deepEqual([first.leftOut, first.fitting("70")], [1, [1]], "the others have its room");
  assert.deepEqual(patternSet([".*"]).fitting("1".repeat(limits.patternTextLength + 1)), []);
});

Deno.test("isVirtualNumber() and patternSet() compile no expensive pattern", () => {
  const startedAt = cpuS();
  for (let n = 0; n < 2_000; n++) {
    assert.equal(isVirtualNumber(".{0,99}".repeat(16) + n), false);
  }
  patternSet(Array.from({ length: 100 }, (_, n) => ".{0,99}".repeat(16) + n)).fitting("1");
  assert.ok(cpuS() - startedAt < 5, "2,000 of them took 24 s of CPU to compile");
});

Deno.test("patternSet() caches the programs used last, by their memory", () => {
  let compiled = 0;
  const use = (n: number) => patternSet([dear(n), dear(n)], () => compiled++);
  const each = 2 * programSize(dear(0)) * 650; // Bytes, about.
  const most = Math.ceil(limits.patternBytes / each);
  for (let n = 1_000; n < 1_000 + 3 * most; n++) {
    use(n);
    use(1_000); // It stays, as it is used again and again.
  }
  assert.equal(compiled, 3 * most);
  for (let n = 1_000 + 3 * most - 5; n < 1_000 + 3 * most; n++) use(n);
  assert.equal(compiled, 3 * most, "the last ones are there, and only the oldest went");
  use(1_001);
  assert.equal(compiled, 3 * most + 1, "the oldest is gone");
});

Deno.test("patternSet() takes a bounded time for any text", () => {
  // As many as have room, made to backtrack, or with a state of its own for each run of digits.
  const families = [["(1+)+2", "(1|1|1)*2", "(\\d*)*\\d*2", "(?:1?)*1*1*1*1*1*1*1*1*2"]]
    .concat([Array.from({ length: 100 }, (_, n) => `.*1.{${8 + n % 10}}x${n}`)])
    .concat([Array.from({ length: 11 }, (_, n) => dear(n))]);
  for (const patterns of families) {
    for (const pattern of patterns) assert.equal(isVirtualNumber(pattern), true, pattern);
    const set = patternSet(patterns);
    const startedAt = cpuS();
    for (let n = 0; n < 100; n++) {
      const text = (BigInt(n + 1) * 98_765_432_109_876_543_210_987n ** 2n).toString()
        .slice(0, limits.patternTextLength);
      set.fitting(text);
    }
    assert.ok(cpuS() - startedAt < 10, `${patterns[0]}: ${cpuS() - startedAt} s for 100 texts`);
  }
});
