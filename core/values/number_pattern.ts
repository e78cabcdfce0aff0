import { RE2JS } from "re2js";
import { limits } from "../base/limits.ts";

/**
 * Whether a text may be a virtual number: digits and signs, or a pattern of them in the part of
 * regular expressions that can be matched in linear time (RE2 syntax), so without back-references
 * and look-around, and in few states, so that no group is counted. A `*` or `+` with nothing before
 * it to repeat stands for itself.
 */
export function isVirtualNumber(text: string): boolean {
  if (text.length === 0 || text.length > limits.numberPatternLength) return false;
  if (!/^[\w.*#+^$|[\](){},:?\\\-]+$/.test(text)) return false;
  if (/\)\{|\{\d{3}|\(\?(?!:)|\\[^dDwWsS.*#+^$|[\](){}?\\\-]/.test(text)) return false;
  return compile(text) !== null;
}

/** Whether a virtual number stands for others than itself. */
export const isPattern = (text: string): boolean =>
  /[.^$|[\](){}?\\]/.test(text) || /[*+]/.test(text.slice(1));

/**
 * Whether a pattern stands for a number: for the whole of it, unless it has anchors or alternatives
 * of its own. In time linear in both, whatever the pattern.
 */
export function fitsNumber(number: string, pattern: string): boolean {
  const expression = recent.get(pattern) ?? compile(pattern);
  if (expression === null) return false;
  if (recent.size >= limits.recentPatterns) recent.clear();
  recent.set(pattern, expression);
  const plain = pattern.replaceAll(/\\.|\[\^?\]?[^\]]*\]/g, "");
  return /[\^$|]/.test(plain) ? expression.matcher(number).find() : expression.matches(number);
}

const recent = new Map<string, RE2JS>();

/** Null when it is no expression. */
function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern.replaceAll(/(^|[\^|(])(?=[*+])/g, "$1\\"));
  } catch {
    return null;
  }
}
