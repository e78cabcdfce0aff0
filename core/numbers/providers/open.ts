import { hasPart } from "../../base/filters.ts";
import { createTurns } from "../../base/turns.ts";
import type { NumberProvider } from "../../ports/providers.ts";
import { type NumberOffer, unknownPlace, usualCapabilities } from "../../values/offer.ts";
import { parseNumber } from "../../values/phone_number.ts";

/**
 * Numbers that are brought along: the operator's trunk brings their calls, so any possible number
 * may be had. What it offers by itself is fictional, 555-0100 to 555-0199 of every North American
 * area code that is in use, so that nobody is handed a number that somebody else answers.
 */
export const openNumbers: NumberProvider = {
  countries: () => Promise.resolve([...new Set(areas().map(({ isoCountry }) => isoCountry))]),
  async *search({ isoCountry, kind, areaCode, contains = "" }) {
    const wanted = areas().filter((area) =>
      (isoCountry === undefined || area.isoCountry === isoCountry) &&
      (kind === undefined || area.kinds.includes(kind)) &&
      (areaCode === undefined || area.areaCode === areaCode)
    );
    const turn = createTurns();
    for (const { areaCode } of wanted) {
      await turn();
      for (let line = 100; line < 200; line++) {
        const phoneNumber = `+1${areaCode}5550${line}`;
        const offer = hasPart(phoneNumber, contains) ? offerOf(phoneNumber) : null;
        if (offer !== null) yield offer;
      }
    }
  },
  offer: (phoneNumber) => Promise.resolve(offerOf(phoneNumber)),
  notify: () => Promise.resolve(),
};

function offerOf(phoneNumber: string): NumberOffer | null {
  const number = parseNumber(phoneNumber);
  if (number === null) return null;
  const { isoCountry, kinds } = number;
  return { ...unknownPlace, phoneNumber, isoCountry, kinds, capabilities: usualCapabilities };
}

interface Area {
  areaCode: string;
  isoCountry: string;
  kinds: NumberOffer["kinds"];
}

let known: Area[] | undefined;

/** The area codes in use, as the numbering plan has them, without those of special services. */
function areas(): Area[] {
  known ??= Array.from({ length: 800 }, (_, index) => String(index + 200)).flatMap((areaCode) => {
    const number = parseNumber(`+1${areaCode}5550100`);
    if (number === null || number.isoCountry === null) return [];
    const isOrdinary = number.kinds.length === 2 || number.kinds[0] === "tollFree";
    const { isoCountry, kinds } = number;
    return isOrdinary ? [{ areaCode, isoCountry, kinds }] : [];
  });
  return known;
}
