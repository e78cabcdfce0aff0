import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from "libphonenumber-js/max";
import { currentNumber } from "./former_plans.ts";

/** The three kinds of IncomingPhoneNumbers, as their sub-lists name them. */
export type NumberKind = "local" | "tollFree" | "mobile";

/** The kinds by the path segment of their lists. */
export const kindSegments: Readonly<Record<string, NumberKind>> = {
  Local: "local",
  TollFree: "tollFree",
  Mobile: "mobile",
};

/** A number that the world's numbering plans allow. */
export interface RealNumber {
  /** `+` and at most 15 digits (ITU-T E.164). */
  phoneNumber: string;
  /** As people of its country write it. */
  national: string;
  /** ISO 3166-1; null where several countries share the range. */
  isoCountry: string | null;
  /** Kinds that it may be provisioned as; the first is the default. */
  kinds: NumberKind[];
}

/** The number of today's plan that a text means within a country, or everywhere; undefined for none. */
function read(text: string, country?: CountryCode): PhoneNumber | undefined {
  const options = country === undefined ? {} : { defaultCountry: country };
  const parsed = parsePhoneNumberFromString(text, { ...options, extract: false });
  const current = parsed && currentNumber(parsed.number);
  return current === undefined || current === parsed?.number
    ? parsed
    : parsePhoneNumberFromString(current, { extract: false });
}

/** Reads a number in E.164 form, with or without separators; null when no such number is possible. */
export function parseNumber(text: string): RealNumber | null {
  if (!/^\+[\d\s().\-\/]{2,40}$/.test(text)) return null;
  const parsed = read(text);
  if (parsed === undefined || !parsed.isPossible()) return null;
  return {
    phoneNumber: parsed.number,
    national: parsed.formatNational(),
    isoCountry: parsed.country ?? null,
    kinds: kindsOf(parsed),
  };
}

/** Fewer digits are an extension or a short number, unless the plan of the country has the number. */
const leastDialled = 7;

/** The E.164 form of a number as it is dialled within a country; null when none is possible. */
export function parsePossible(text: string, country: string): string | null {
  if (!isSupportedCountry(country)) return null;
  const parsed = read(text, country);
  if (parsed === undefined || !parsed.isPossible()) return null;
  return text.length >= leastDialled || parsed.isValid() ? parsed.number : null;
}

/** True when a number in E.164 form is in an assigned range. */
export const isInUse = (number: string): boolean => read(number)?.isValid() === true;

/**
 * Kinds that a number's type allows. North American numbers are fixed or mobile without a
 * difference, and a possible number in no assigned range has no type.
 */
function kindsOf(number: PhoneNumber): NumberKind[] {
  switch (number.getType()) {
    case "TOLL_FREE":
      return ["tollFree"];
    case "MOBILE":
      return ["mobile"];
    case "FIXED_LINE_OR_MOBILE":
      return ["local", "mobile"];
    case undefined:
      return ["local", "mobile", "tollFree"];
    default:
      return ["local"];
  }
}

/** A number in its national format; any other text as it is. */
export const formatNumber = (text: string): string => parseNumber(text)?.national ?? text;
