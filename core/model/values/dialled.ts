import { plainDigits } from "../../base/fields.ts";
import { isInUse, parseNumber, parsePossible } from "./phone_number.ts";

/** Dial string without separators: digits, `*`, `#` and a leading `+`; null for any other text. */
export function dialString(text: string): string | null {
  const bare = plainDigits(text).replaceAll(/[\s().\-\/]/g, "");
  return /^\+?[\d*#]{1,40}$/.test(bare) ? bare : null;
}

/**
 * The number in E.164 form that a dialled text means: with `+`, with `00` in its place, or as it is
 * dialled within a country (ISO 3166-1). Null when it means none.
 */
export function e164Of(text: string, country: string | null): string | null {
  const bare = dialString(text);
  if (bare === null) return null;
  const whole = parseNumber(bare.replace(/^00/, "+"));
  if (whole !== null) return whole.phoneNumber;
  return country === null || /^\+|^00/.test(bare) ? null : parsePossible(bare, country);
}

/**
 * The number in E.164 form that a trunk means by the user part of a caller. Many write international numbers
 * without `+`: one of 11 digits or more counts as such where it is in use, as no national number is as long.
 */
export const callerNumber = (user: string, country: string | null): string | null =>
  e164Of(user, country) ??
    (/^\d{11,15}$/.test(user) && isInUse(`+${user}`) ? e164Of(`+${user}`, null) : null);

/** A part of a number as it is stored: without the separators that people write, `+` in place of `00`. */
export function partOf(text: string): string {
  const isWritten = /^(?:\+|00)/.test(text) || /[\s()]/.test(text);
  const bare = isWritten ? dialString(text) : null;
  return bare === null ? text : e164Of(bare.replace(/^00/, "+"), null) ?? bare.replace(/^00/, "+");
}

/**
 * The values that a filter for a party finds: as it was sent, which a virtual number may be spelt as, and as
 * a number is stored. With `*` for any characters it is one value, without separators.
 */
export function spellingsOf(text: string, country: string | null): [string, ...string[]] {
  if (text.includes("*")) {
    return [/^(?:\+|00)/.test(text) ? dialString(text)?.replace(/^00/, "+") ?? text : text];
  }
  const stored = e164Of(text, country) ?? dialString(text);
  return stored === null || stored === text ? [text] : [text, stored];
}

/** Number in E.164 form that a person may read a text as: also one that lacks its `+`. */
export const numberLike = (text: string, country: string | null): string | null =>
  e164Of(text, country) ?? e164Of(`+${text}`, null);

/**
 * True when a text may mean a number of the telephone network. That is one in E.164 form, also
 * without its `+` or as it is dialled within a country, or up to three digits, as emergency
 * services have.
 */
export const readsAsNumber = (text: string, country: string | null): boolean =>
  numberLike(text, country) !== null || /^\d{1,3}$/.test(dialString(text) ?? "");

/** Forms under which a dialled text may be stored as a number, likeliest first. */
export function formsOf(text: string, country: string | null): string[] {
  const bare = dialString(text);
  if (bare === null) return text === "" ? [] : [text];
  const e164 = e164Of(text, country);
  const digits = (e164 ?? bare).replace(/^\+/, "");
  const forms = [text, bare, e164, `+${digits}`, digits, e164Of(`+${digits}`, null)];
  return [...new Set(forms.filter((form) => form !== null))];
}
