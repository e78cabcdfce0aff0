import { limits } from "../../base/limits.ts";

/** The alphabet of 3GPP TS 23.038 §6.2.1, and the letters that take two septets (§6.2.1.1). */
const basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const extended = "\f^{}\\[~]|€";
/** The septets of each letter of the GSM alphabet. */
export const septetsOf: ReadonlyMap<string, number> = new Map<string, number>([
  ...[...basic].map((letter) => [letter, 1] as const),
  ...[...extended].map((letter) => [letter, 2] as const),
]);

/** As much of a text as one USSD message holds, up to the end of a character. */
export function fittingUssd(text: string): string {
  const letters = [...text];
  const isGsm = letters.every((letter) => septetsOf.has(letter));
  const most = isGsm ? limits.ussdGsmLength : limits.ussdOtherLength;
  let length = 0;
  const end = letters.findIndex((letter) => {
    length += isGsm ? septetsOf.get(letter) ?? 1 : letter.length;
    return length > most;
  });
  return end < 0 ? text : letters.slice(0, end).join("");
}
