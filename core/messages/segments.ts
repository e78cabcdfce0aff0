import { septetsOf } from "../values/ussd_length.ts";

/** Characters of one part of a text: alone, and where it is joined to others (3GPP TS 23.040). */
const gsm = { whole: 160, part: 153 };
const ucs2 = { whole: 70, part: 67 };

/** How many parts a text is sent in: by the GSM alphabet where that has all of it, else in UCS-2. */
export function segmentCount(text: string): number {
  const sizes = [...text].map((letter) => septetsOf.get(letter));
  const isGsm = sizes.every((size) => size !== undefined);
  const length = isGsm ? sizes.reduce((sum, size) => sum + size, 0) : text.length;
  const { whole, part } = isGsm ? gsm : ucs2;
  return length <= whole ? 1 : Math.ceil(length / part);
}
