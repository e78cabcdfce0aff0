import { limits } from "../../../core/base/limits.ts";
import {
  isPattern,
  isVirtualNumber,
  patternSet,
} from "../../../core/model/values/number_pattern.ts";
import {
  readUserPart,
  splitUserParameters,
  userParameter,
  withoutParameter,
} from "../../../core/base/user_part.ts";
import { pick } from "../generator.ts";
import { dearFill, type Vocabulary } from "./generate.ts";
import type { Parser } from "./parser.ts";

/** Virtual numbers and their patterns, and the texts that are matched against them. */

const patterns: Vocabulary = {
  words: [
    "1",
    ".",
    ".*",
    ".+",
    ".?",
    "*",
    "+",
    "?",
    "|",
    "^",
    "$",
    "#",
    "\\d",
    "\\D",
    "\\w+",
    "\\.",
    "\\",
    "[0-9]",
    "[^1]",
    "[",
    "]",
    "(",
    ")",
    "(?:1)",
    "(?:",
    "{9}",
    "{1,9}",
    "{1,99}",
    "{99,}",
    "{,}",
    "{",
    "}",
    "1{99}",
    ".{1,99}",
    "[01]{0,99}",
    "(1|1)*",
    "(1*)*",
    "-",
  ],
  pairs: [["(", ")*"], ["(?:", ")+"], ["(", "|1)"], ["[", "]"], ["(?:", ")?"], ["(", ")"]],
  sample: "^[12]\\d{3}(?:55|66).*#$",
};

const slots: ((fill: string) => string)[] = [
  (fill) => fill,
  (fill) => `(${fill})`,
  (fill) => `^${fill}$`,
  (fill) => `(${fill})*`,
  (fill) => `[${fill}]`,
];
const usualPattern = "^[12]\\d\\d\\d(?:55|66)\\d.*#$";

/**
 * As many copies of one pattern as a size can hold: a single one costs less than a clock can
 * resolve.
 */
const timesOf = (pattern: string, size: number): string[] =>
  Array.from({ length: Math.ceil(size / limits.numberPatternLength) }, () => pattern);

const written: Parser = {
  name: "number patterns",
  sizes: [1_000, 6_000],
  usual: (size) => timesOf(usualPattern.repeat(8).slice(0, limits.numberPatternLength), size),
  dear(random, size) {
    const fill = dearFill(random, 20 + random(limits.numberPatternLength - 20), patterns);
    return timesOf(pick(random, slots)(fill).slice(0, limits.numberPatternLength), size);
  },
  read(texts: string[]) {
    for (const text of texts) if (isVirtualNumber(text)) isPattern(text);
  },
};

interface Dialled {
  patterns: string[];
  text: string;
}

let made = 0;

/** A pattern that no program has yet, of digits and what is given. */
const fresh = (pattern: string): string => `${++made}${pattern}`.slice(0, 128);

/** Patterns of a tenant together, as a call compiles them, and a number that is dialled. */
const dialled: Parser = {
  name: "patterns of a tenant, and a number",
  sizes: [1_000, 8_000],
  usual: (size): Dialled => ({
    patterns: Array.from({ length: Math.min(100, size / 20) }, () => fresh("55\\d{4}(?:1|2)#?")),
    text: "+15550100123",
  }),
  dear(random, size): Dialled {
    const length = pick(random, [10, 30, limits.numberPatternLength]);
    const count = Math.min(limits.patternsOfTenant, Math.ceil(size / length));
    const same = random(2) === 0 ? dearFill(random, length, patterns) : undefined;
    const some = Array.from(
      { length: count },
      () => fresh(same ?? dearFill(random, length, patterns)),
    ).filter(isVirtualNumber);
    const digits = dearFill(random, limits.patternTextLength, {
      words: ["1", "0", "12", "+", "#", "*", "5"],
      sample: "+15550100",
    });
    return { patterns: some, text: digits };
  },
  read: ({ patterns, text }: Dialled) => patternSet(patterns).fitting(text),
};

const userParts: Vocabulary = {
  words: [
    ";",
    "=",
    "%3B",
    "%3D",
    "%",
    "npdi",
    "rn=+1404",
    "phone-context=+1",
    "verstat=A",
    "+",
    "1",
    "-",
  ],
  pairs: [[";", "="], ["%3B", "%3D"]],
  sample: "+12125550123;npdi;rn=+14045550000",
};

/** The user part of a SIP URI, with parameters of a telephone number. */
const userPart: Parser = {
  name: "user parts",
  sizes: [1_000, 8_000],
  usual: (size) => "+12125550123;npdi;rn=+14045550000".repeat(size / 33),
  dear: (random, size) => dearFill(random, size, userParts),
  read(text: string) {
    const part = readUserPart(text);
    userParameter(part, "verstat");
    withoutParameter(part.parameters, "verstat");
    splitUserParameters(`sip:${text}@a.test`);
  },
};

export const numberParsers: Parser[] = [written, dialled, userPart];
