import type { NumberOffer, NumberSearch } from "../../core/model/values/offer.ts";
import type { Stock } from "../../core/model/ports/ports.ts";
import { keys } from "../store/keys.ts";
import type { KeyValueStore, KvKey, KvListSelector } from "../store/key_value_store.ts";

/** Numbers that one commit adds: it sets up to four keys of each and may delete three. */
const groupSize = 50;
const readSize = 10;

/** The numbers that the operator loaded, indexed by number and by country and kind. */
export function stock(kv: KeyValueStore): Stock {
  return {
    countries: () => countriesIn(kv),
    async get(phoneNumber) {
      return (await kv.get<NumberOffer>(keys.stocked(phoneNumber))).value;
    },
    search: (wanted) => search(kv, wanted),
    async put(offers) {
      let added = 0;
      for (let at = 0; at < offers.length; at += groupSize) {
        added += await putGroup(kv, offers.slice(at, at + groupSize));
      }
      return added;
    },
  };
}

async function getMany(
  kv: KeyValueStore,
  phoneNumbers: string[],
): Promise<Map<string, NumberOffer>> {
  const found = new Map<string, NumberOffer>();
  for (let at = 0; at < phoneNumbers.length; at += readSize) {
    const some = phoneNumbers.slice(at, at + readSize).map(keys.stocked);
    for (const { value } of await kv.getMany<NumberOffer[]>(some)) {
      if (value !== null) found.set(value.phoneNumber, value);
    }
  }
  return found;
}

async function* search(kv: KeyValueStore, wanted: NumberSearch): AsyncGenerator<NumberOffer> {
  for (const selector of selectors(wanted)) {
    let group: string[] = [];
    for await (const { key } of kv.list(selector)) {
      const phoneNumber = String(key.at(-1));
      if (group.push(phoneNumber) < groupSize) continue;
      yield* (await getMany(kv, group)).values();
      group = [];
    }
    yield* (await getMany(kv, group)).values();
  }
}

/** Adds or replaces offers in one commit; returns how many are new. */
async function putGroup(kv: KeyValueStore, offers: NumberOffer[]): Promise<number> {
  const known = await getMany(kv, offers.map(({ phoneNumber }) => phoneNumber));
  const op = kv.atomic();
  for (const offer of offers) {
    const before = known.get(offer.phoneNumber);
    for (const key of before === undefined ? [] : kindKeys(before)) op.delete(key);
    op.set(keys.stocked(offer.phoneNumber), offer);
    for (const key of kindKeys(offer)) op.set(key, null);
  }
  await op.commit();
  return offers.filter(({ phoneNumber }) => !known.has(phoneNumber)).length;
}

async function countriesIn(kv: KeyValueStore): Promise<string[]> {
  const found: string[] = [];
  let country = await nextCountry(kv, ""); // Numbers of shared ranges have no country.
  while (country !== null) {
    found.push(country);
    country = await nextCountry(kv, country);
  }
  return found;
}

/** The first country in keys after another one; null when there is none. */
async function nextCountry(kv: KeyValueStore, past: string): Promise<string | null> {
  const prefix = keys.stockKinds;
  const selector = { prefix, start: [...prefix, past + "\0"] };
  for await (const { key } of kv.list(selector, { limit: 1 })) return String(key[prefix.length]);
  return null;
}

const kindKeys = ({ isoCountry, kinds, phoneNumber }: NumberOffer): KvKey[] =>
  kinds.map((kind) => keys.stockOfKind(isoCountry ?? "", kind, phoneNumber));

/** The narrowest key ranges that hold all results of a search. */
function selectors({ isoCountry, kind, areaCode }: NumberSearch): KvListSelector[] {
  const prefix = isoCountry !== undefined && kind !== undefined
    ? keys.stockKind(isoCountry, kind)
    : keys.stock;
  if (areaCode === undefined) return [{ prefix }];
  const start = `+1${areaCode}`;
  return [{ start: [...prefix, start], end: [...prefix, `${start}:`] }];
}
