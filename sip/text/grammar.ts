import { sipLimits } from "../base/limits.ts";

/** Pieces of the grammar of RFC 3261 §25.1 that several parsers share; all in linear time. */

const token = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

export const isToken = (text: string): boolean => token.test(text);

/**
 * Splits at a separator outside quotes and angle brackets; undefined when those do not balance, and
 * where there are more parts than `sipLimits.parts`.
 */
export function splitOutside(text: string, separator: string): string[] | undefined {
  if (!/["<>]/.test(text)) {
    if (!text.includes(separator)) return [text.trim()];
    const all = text.split(separator, sipLimits.parts + 1);
    return all.length > sipLimits.parts ? undefined : all.map((part) => part.trim());
  }
  const parts: string[] = [];
  let quoted = false;
  let angle = false;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === "\\") i++;
      else if (char === '"') quoted = false;
    } else if (angle) {
      if (char === ">") angle = false;
    } else if (char === '"') quoted = true;
    else if (char === "<") angle = true;
    else if (char === ">") return undefined;
    else if (char === separator) {
      if (parts.push(text.slice(start, i).trim()) >= sipLimits.parts) return undefined;
      start = i + 1;
    }
  }
  if (quoted || angle) return undefined;
  parts.push(text.slice(start).trim());
  return parts;
}

export interface Parameter {
  name: string;
  /** Undefined for a flag. */
  value: string | undefined;
}

/** `;a=1;b` after its first semicolon; undefined when a name is no token. */
export function parseParameters(text: string): Parameter[] | undefined {
  const parts = splitOutside(text, ";");
  if (parts === undefined) return undefined;
  const parameters: Parameter[] = [];
  for (const part of parts) {
    const equals = part.indexOf("=");
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    // A plain object keeps the parameters; this name would replace its prototype.
    if (!isToken(name) || name === "__proto__") return undefined;
    parameters.push({ name, value: equals < 0 ? undefined : part.slice(equals + 1).trim() });
  }
  return parameters;
}

/** Whether text can stand in a header: no control characters, so no second header either. */
export function isHeaderSafe(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code < 32 && code !== 9) || code === 127) return false;
  }
  return true;
}
