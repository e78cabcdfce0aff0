import { hasPart } from "../base/filters.ts";
import { createTurns } from "../base/turns.ts";
import type { NumberProvider } from "../model/ports/providers.ts";
import { type NumberOffer, unknownPlace, usualCapabilities } from "../model/values/offer.ts";
import { parseNumber } from "../model/values/phone_number.ts";

/**
 * Numbers that are brought along: the operator's trunk brings their calls, so any possible number
 * may be had. What it offers by itself is fictional, 555-0100 to 555-0199 of every North American
 * area code that is in use, so that no account gets a number that is in use elsewhere.
 */
export const openNumbers: NumberProvider = {
  countries: async () => [...new Set((await areas()).map(({ isoCountry }) => isoCountry))],
  async *search({ isoCountry, kind, areaCode, contains = "" }) {
    const wanted = (await areas()).filter((area) =>
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

let known: Promise<Area[]> | undefined;

/** The area codes in use, as the numbering plan has them, without those of special services. */
const areas = (): Promise<Area[]> => known ??= findAreas();

async function findAreas(): Promise<Area[]> {
  const found: Area[] = [];
  const turn = createTurns();
  for (let code = 200; code < 1_000; code++) {
    await turn();
    const number = parseNumber(`+1${code}5550100`);
    if (number === null || number.isoCountry === null) continue;
    const isOrdinary = number.kinds.length === 2 || number.kinds[0] === "tollFree";
    const { isoCountry, kinds } = number;
    if (isOrdinary) found.push({ areaCode: String(code), isoCountry, kinds });
  }
  return found;
}
