import { hasPart } from "../base/filters.ts";
import { limits } from "../base/limits.ts";
import { createTurns } from "../base/turns.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Capabilities, NumberOffer, Place, PlacedSearch } from "../model/values/offer.ts";

/** True when an offer matches the search. */
export function fitsSearch(offer: NumberOffer, wanted: PlacedSearch): boolean {
  const { isoCountry, kind, areaCode, contains, capabilities = {}, place = {} } = wanted;
  const able = Object.entries(capabilities) as [keyof Capabilities, boolean][];
  return (isoCountry === undefined || offer.isoCountry === isoCountry) &&
    (kind === undefined || offer.kinds.includes(kind)) &&
    (areaCode === undefined || offer.phoneNumber.startsWith(`+1${areaCode}`)) &&
    (contains === undefined || hasPart(offer.phoneNumber, contains)) &&
    able.every(([name, value]) => offer.capabilities[name] === value) &&
    (Object.keys(place) as (keyof Place)[]).every((name) => offer[name] === place[name]);
}

/**
 * The first `limits.numberOffers` numbers that fit and that no account here holds. A virtual number of the
 * same text gives way to a purchase from a provider that vouches for holders.
 */
export async function availableNumbers(
  wanted: PlacedSearch,
  { numbers, records, settings }: Pick<Ports, "numbers" | "records" | "settings">,
): Promise<NumberOffer[]> {
  const available: NumberOffer[] = [];
  let examined = 0;
  const { place: _, ...known } = wanted;
  const turn = createTurns();
  for await (const offer of numbers.search(known)) {
    await turn();
    if (!fitsSearch(offer, wanted)) continue;
    if (++examined > limits.numberOffersExamined) break;
    const holder = await records.incomingPhoneNumbers.holder("phoneNumber", offer.phoneNumber);
    const givesWay = holder?.isSIP === true && settings.trunks.numbersVouched;
    if (holder === null || givesWay) available.push(offer);
    if (available.length === limits.numberOffers) break;
  }
  return available;
}
