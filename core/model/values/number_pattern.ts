/**
 * Virtual numbers, and the patterns among them: regular expressions of customers (RE2 syntax), which
 * match in a time that is linear in pattern and text. re2js is RE2 in plain JavaScript;
 * the engine of the runtime can backtrack without end. Look-behind and back-references are refused.
 *
 * The patterns of a tenant are compiled into one program, which says in one pass over a text which of them
 * fit. Bounds: `programSize` is estimated from the text of a pattern, before it is compiled;
 * a program has at most `limits.patternInstructions`, and a text at most `limits.patternTextLength`
 * signs. Recent programs are cached, `limits.patternBytes` of them together.
 */
import { RE2JS, RE2Set } from "re2js";
import { limits } from "../../base/limits.ts";

/**
 * True when a text may be a virtual number: digits and signs, or a pattern of them. A pattern uses
 * the part of regular expressions that can be matched in linear time (RE2 syntax), without
 * back-references and look-around, and in few states, so without counted groups. A `*` or `+` with
 * nothing before it to repeat stands for itself.
 */
export function isVirtualNumber(text: string): boolean {
  if (text.length === 0 || text.length > limits.numberPatternLength) return false;
  if (!/^[\w.*#+^$|[\](){},:?\\\-]+$/.test(text)) return false;
  if (/\)\{|\{\d{3}|\(\?(?!:)|\\[^dDwWsS.*#+^$|[\](){}?\\\-]/.test(text)) return false;
  if (programSize(text) > limits.patternInstructions) return false;
  try {
    RE2JS.compile(withoutCounts(expressionOf(text)));
    return true;
  } catch {
    return false;
  }
}

/** An expression that is valid where the given one is, and cheap to compile. */
const withoutCounts = (expression: string): string =>
  expression.replaceAll(
    /\{(\d{1,3})(?:,(\d{0,3}))?\}/g,
    (count, low, high) => high && Number(low) > Number(high) ? count : "{0,1}",
  );

/** True when a virtual number is a pattern. */
export const isPattern = (text: string): boolean =>
  /[.^$|[\](){}?\\]/.test(text) || /[*+]/.test(text.slice(1));

/**
 * The most instructions that a pattern of `isVirtualNumber` adds to a program: one for each sign, class
 * and bracket, two for each repetition and alternative, and for a counted sign as many as it may come.
 */
export function programSize(pattern: string): number {
  let size = 8; // For what encloses it, and for its end.
  for (const [, sign, low, isRange, high] of pattern.matchAll(counted)) {
    if (low === undefined) size += /^[*+?|]$/.test(sign!) ? 2 : 1;
    else if (isRange === undefined) size += Number(low);
    else if (high === "") size += Number(low) + 3;
    else size += Number(low) + 2 * Math.max(0, Number(high) - Number(low));
  }
  return size;
}

/** A sign or class, and how often it comes where that is counted. */
const counted = /(\\.|\[\^?\]?[^\]]*\]|.)(?:\{(\d+)(,(\d*))?\})?/gs;

/** The patterns that a text may fit, as one program. */
export interface PatternSet {
  /**
   * The positions of the patterns that a text fits: with the whole of it, unless the pattern has anchors
   * or alternatives of its own. In time linear in both, whatever the pattern. None for a long text.
   */
  fitting(text: string): number[];
  /** Patterns that exceed the bound of a program; they match nothing. */
  leftOut: number;
}

/**
 * Program of patterns, those with the highest precedence first. Calls `onCompile` for a new one.
 */
export function patternSet(
  patterns: readonly string[],
  onCompile: (set: PatternSet) => void = () => {},
): PatternSet {
  const positions = withinBounds(patterns);
  const taken = positions.map((at) => patterns[at]!); // The positions are of these patterns.
  const name = taken.join("\n");
  const known = programs.get(name);
  const cached = known ?? compile(taken);
  if (known !== undefined) forget(name, known); // It becomes the one used last.
  cache(name, cached);
  const set = {
    fitting: (text: string) =>
      text.length > limits.patternTextLength
        ? []
        : cached.program.match(text).map((at) => positions[at]!), // It has as many patterns.
    leftOut: patterns.length - taken.length,
  };
  if (known === undefined) onCompile(set);
  return set;
}

/** The positions of the patterns that have room in a program together. */
function withinBounds(patterns: readonly string[]): number[] {
  const positions: number[] = [];
  let left: number = limits.patternInstructions;
  for (const [at, pattern] of patterns.entries()) {
    const size = programSize(pattern);
    if (size > left) continue;
    left -= size;
    positions.push(at);
    if (positions.length === limits.patternsOfTenant) break;
  }
  return positions;
}

interface CachedProgram {
  program: RE2Set;
  bytes: number;
}

const programs = new Map<string, CachedProgram>();
let cachedBytes = 0;

function forget(name: string, { bytes }: CachedProgram): void {
  programs.delete(name);
  cachedBytes -= bytes;
}

/** Caches a program, and drops those not used for longest, until all fit. */
function cache(name: string, program: CachedProgram): void {
  programs.set(name, program);
  cachedBytes += program.bytes;
  for (const [oldest, one] of programs) {
    if (cachedBytes <= limits.patternBytes || oldest === name) return;
    forget(oldest, one);
  }
}

/** Memory of an instruction in bytes, and the most that a program's states may take. */
const instructionBytes = 400;
const stateBytes = (size: number): number => (16 << 10) + 256 * size;

function compile(patterns: string[]): CachedProgram {
  const size = patterns.reduce((sum, pattern) => sum + programSize(pattern), 0);
  const program = new RE2Set(RE2Set.UNANCHORED, 0, stateBytes(size));
  for (const pattern of patterns) {
    const plain = pattern.replaceAll(/\\.|\[\^?\]?[^\]]*\]/g, "");
    const expression = expressionOf(pattern);
    program.add(/[\^$|]/.test(plain) ? expression : `\\A(?:${expression})\\z`);
  }
  program.compile();
  return { program, bytes: size * instructionBytes + stateBytes(size) };
}

const expressionOf = (pattern: string): string => pattern.replaceAll(/(^|[\^|(])(?=[*+])/g, "$1\\");
