import { septetsOf } from "../model/values/ussd_length.ts";

/** Units of a text alone, and of one part where it is joined to others (3GPP TS 23.040 §9.2.3.24.1). */
const gsm = { whole: 160, part: 153 };
const ucs2 = { whole: 70, part: 67 };

/** The parts that a text is sent in. */
export interface Parts {
  /** `gsm` where the GSM alphabet has every character (3GPP TS 23.038 §6.2.1), else UCS-2. */
  alphabet: "gsm" | "ucs2";
  parts: string[];
}

/**
 * Cuts a text into the parts that are sent, counted and charged. No character is cut in two: neither an
 * escape pair of the GSM alphabet nor a surrogate pair.
 */
export function partsOf(text: string): Parts {
  const characters = [...text];
  const isGsm = characters.every((one) => septetsOf.has(one));
  const unitsOf = (one: string) => isGsm ? septetsOf.get(one) ?? 1 : one.length;
  const alphabet = isGsm ? "gsm" : "ucs2";
  const { whole, part } = isGsm ? gsm : ucs2;
  if (characters.reduce((sum, one) => sum + unitsOf(one), 0) <= whole) {
    return { alphabet, parts: [text] };
  }
  const parts: string[] = [];
  let [from, units] = [0, 0];
  for (const [at, one] of characters.entries()) {
    const size = unitsOf(one);
    if (units + size > part) {
      parts.push(characters.slice(from, at).join(""));
      [from, units] = [at, 0];
    }
    units += size;
  }
  return { alphabet, parts: [...parts, characters.slice(from).join("")] };
}

/** Number of parts in which a text is sent. */
export const segmentCount = (text: string): number => partsOf(text).parts.length;
