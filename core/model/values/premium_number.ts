/**
 * Premium-rate numbers: the types premium rate, shared cost and personal number of libphonenumber,
 * and ranges of no country. UAN numbers (+44 3) cost as usual ones. Islands of the North American
 * plan (+1 876) are usual numbers: `DestinationPrefixes` bounds those.
 *
 * A number that is not valid counts by the longest valid number that it begins with, or that begins
 * with it: carriers ignore digits after a whole number. It counts behind codes that a carrier may
 * act on, too: service codes (`*67`), the country's code for numbers abroad (`0011` in Australia),
 * zeros after the `+`.
 */
import {
  getCountryCallingCode,
  isSupportedCountry,
  type NumberType,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";

/**
 * Ranges of no country that cost a multiple of a usual call: satellite phones (+870, +881), networks of
 * satellites, ships and planes (+882, +883), personal numbers (+878), shared cost (+808) and
 * premium rate (+979).
 */
export const premiumRanges = ["+808", "+870", "+878", "+881", "+882", "+883", "+979"];

/** The premium-rate exchange of each area code of North America, which the metadata do not have. */
const premiumExchange = /^\+1\d{3}976/;

/** Types of numbers within countries that cost more than others, some of which pay the callee. */
const premiumTypes: readonly NumberType[] = ["PREMIUM_RATE", "SHARED_COST", "PERSONAL_NUMBER"];

/** Fewest digits after `+` that show the type of a number. */
const leastDigits = 5;

/** The digits that a number in E.164 form has at most. */
const mostDigits = 15;

/**
 * True when a number, as it is dialled, is of a premium-rate, shared-cost, personal or satellite
 * range. `country`: where a number without `+` is dialled (ISO 3166-1).
 */
export const isPremium = (dialled: string, country: string | null): boolean =>
  readingsOf(dialled, country).some((number) =>
    premiumRanges.some((range) => number.startsWith(range)) || premiumExchange.test(number) ||
    isOfPremiumType(number)
  );

/** Fewer digits without `+` are an extension or a short number, which no plan of numbers has. */
const leastDialled = 7;

/** Service codes before a number, such as `*67` and `#31#` (withhold the caller ID). */
const serviceCodes = [/^[*#]+\d{2}[*#]?/, /^[*#]+\d{3}[*#]?/];

/** Leading zeros, and codes for numbers abroad that carriers read where they ignore the `+`. */
const exitCode = /^\+1?(?:011|00)|^\+0+/;

/** The numbers with `+` that a carrier may read. */
function readingsOf(dialled: string, country: string | null): string[] {
  const digits = dialled.replaceAll(/\D/g, "");
  if (dialled.startsWith("+")) {
    const abroad = `+${digits}`.replace(exitCode, "");
    return [`+${digits}`, ...abroad.startsWith("+") ? [] : readingsOf(abroad, country)];
  }
  if (digits.length < leastDialled) return [];
  const behind = serviceCodes.map((code) => dialled.replace(code, ""))
    .filter((number) => number !== dialled);
  return [
    `+${digits.replace(/^(?:00|011)/, "")}`,
    ...dialledWithin(country, digits),
    ...behind.flatMap((number) => readingsOf(number, country)),
  ];
}

/**
 * Numbers that digits mean in a country, also behind its codes for numbers abroad and in other
 * areas.
 */
function dialledWithin(country: string | null, digits: string): string[] {
  if (country === null || !isSupportedCountry(country)) return [];
  const parsed = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
  const national = `+${getCountryCallingCode(country)}${digits.replace(/^0+/, "")}`;
  return parsed === undefined ? [national] : [national, parsed.number];
}

function isOfPremiumType(number: string): boolean {
  const type = typeOf(number) ?? typeOfPart(number) ?? typeOfBeginning(number);
  return type !== undefined && premiumTypes.includes(type);
}

const typeOf = (number: string): NumberType =>
  number.length > mostDigits + 1
    ? undefined
    : parsePhoneNumberFromString(number, { extract: false })?.getType();

/** The type of the longest number that a longer one begins with. */
function typeOfPart(number: string): NumberType {
  for (let length = Math.min(number.length, mostDigits + 1); length > leastDigits; length--) {
    const type = typeOf(number.slice(0, length));
    if (type !== undefined) return type;
  }
  return undefined;
}

/** The type of the numbers that begin as a shorter one does. */
function typeOfBeginning(number: string): NumberType {
  for (let length = number.length + 1; length <= mostDigits + 1; length++) {
    for (const digit of "015") {
      const type = typeOf(number.padEnd(length, digit));
      if (type !== undefined) return type;
    }
  }
  return undefined;
}
