import { sipLimits } from "../base/limits.ts";

/** Pieces of the grammar of RFC 3261 §25.1 that several parsers share; all in linear time. */

const token = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

export const isToken = (text: string): boolean => token.test(text);

/** A message without the line ends before its first line, which mean nothing (RFC 3261 §7.5). */
export const fromFirstLine = (text: string): string =>
  text.startsWith("\r\n") ? text.replace(/^(?:\r\n)+/, "") : text;

/**
 * Splits at a separator outside quotes and angle brackets; undefined when those do not balance, and
 * where there are more parts than `sipLimits.parts`. Quotes may be taken for characters as others.
 */
export function splitOutside(
  text: string,
  separator: string,
  { quotes = true }: { quotes?: boolean } = {},
): string[] | undefined {
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
    } else if (char === '"') quoted = quotes;
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

/**
 * Splits a list of addresses at its commas. Names in the field are not always quoted as RFC 3261 §25.1
 * asks: a part without an address is the beginning of the name after it, as in
 * `Bell, Alexander <sip:bell@example.com>`, and a lone quote is a character of its name.
 */
export function splitAddresses(text: string): string[] | undefined {
  const parts = splitOutside(text, ",") ?? splitOutside(text, ",", { quotes: false });
  if (parts === undefined) return undefined;
  const addresses: string[] = [];
  let name = "";
  for (const part of parts) {
    const isAddress = part === "*" || part.includes("<") || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(part);
    if (isAddress) addresses.push(name + part);
    name = isAddress ? "" : `${name}${part}, `;
  }
  if (name !== "") addresses.push(name.slice(0, -2));
  return addresses;
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

/** True when a text can stand in a header: no control characters, so no second header either. */
export function isHeaderSafe(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code < 32 && code !== 9) || code === 127) return false;
  }
  return true;
}
