import { limits } from "../limits.ts";

/**
 * Whether a text may be a virtual number: digits and signs, or a pattern of them in the part of
 * regular expressions that can be matched in linear time (RE2 syntax), so without back-references
 * and look-around, and in few states, so that no group is counted. A `*` or `+` with nothing before it to repeat stands for itself.
 */
export function isVirtualNumber(text: string): boolean {
  if (text.length === 0 || text.length > limits.numberPatternLength) return false;
  if (!/^[\w.*#+^$|[\](){},:?\\\-]+$/.test(text)) return false;
  if (/\)\{|\{\d{3}|\(\?(?!:)|\\[^dDwWsS.*#+^$|[\](){}?\\\-]/.test(text)) return false;
  try {
    new RegExp(text.replaceAll(/(^|[\^|(])(?=[*+])/g, "$1\\"));
    return true;
  } catch {
    return false;
  }
}
