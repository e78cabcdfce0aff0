import { parseNumber, parsePossible } from "./phone_number.ts";

/** What a phone's keys can say, without separators: digits, `*`, `#` and a leading `+`; else null. */
export function dialString(text: string): string | null {
  const bare = text.replaceAll(/[\s().\-]/g, "");
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
 * The number in E.164 form that a text may be taken for by whoever sees it: also one that lacks its `+`.
 * Null when it is none.
 */
export const numberLike = (text: string, country: string | null): string | null =>
  e164Of(text, country) ?? e164Of(`+${text}`, null);

/**
 * Whether a text may mean a number of the telephone network: one in E.164 form, also without its `+` or
 * as it is dialled within a country, or up to three digits, as emergency services have.
 */
export const readsAsNumber = (text: string, country: string | null): boolean =>
  numberLike(text, country) !== null || /^\d{1,3}$/.test(dialString(text) ?? "");

/** The forms under which a dialled text may be held as a number, likeliest first. */
export function formsOf(text: string, country: string | null): string[] {
  const bare = dialString(text);
  if (bare === null) return text === "" ? [] : [text];
  const e164 = e164Of(text, country);
  const digits = (e164 ?? bare).replace(/^\+/, "");
  const forms = [text, bare, e164, `+${digits}`, digits];
  return [...new Set(forms.filter((form) => form !== null))];
}
