import type { NumberOffer, NumberSearch } from "../../core/values/offer.ts";
import type { Stock } from "../../core/ports/ports.ts";
import { keys } from "../store/keys.ts";

/** Numbers that one commit adds: each has up to four keys and may lose three. */
const groupSize = 50;
const readSize = 10;

/** The numbers that the operator loaded, each found by itself and by its country and kind. */
export function stock(kv: Deno.Kv): Stock {
  async function getMany(phoneNumbers: string[]): Promise<Map<string, NumberOffer>> {
    const found = new Map<string, NumberOffer>();
    for (let at = 0; at < phoneNumbers.length; at += readSize) {
      const some = phoneNumbers.slice(at, at + readSize).map(keys.stocked);
      for (const { value } of await kv.getMany<NumberOffer[]>(some)) {
        if (value !== null) found.set(value.phoneNumber, value);
      }
    }
    return found;
  }

  async function putGroup(offers: NumberOffer[]): Promise<number> {
    const known = await getMany(offers.map(({ phoneNumber }) => phoneNumber));
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

  /** What first follows a prefix in keys, after `past` and all below it; null when nothing does. */
  async function firstPart(prefix: Deno.KvKey, past: string): Promise<string | null> {
    const selector = { prefix, start: [...prefix, past + "\0"] };
    for await (const { key } of kv.list(selector, { limit: 1 })) return String(key[prefix.length]);
    return null;
  }

  async function countries(): Promise<string[]> {
    const found: string[] = [];
    let country = await firstPart(keys.stockKinds, ""); // Shared ranges have none.
    while (country !== null) {
      found.push(country);
      country = await firstPart(keys.stockKinds, country);
    }
    return found;
  }

  return {
    countries,
    async get(phoneNumber) {
      return (await kv.get<NumberOffer>(keys.stocked(phoneNumber))).value;
    },
    async *search(wanted) {
      for (const selector of selectors(wanted)) {
        let group: string[] = [];
        for await (const { key } of kv.list(selector)) {
          const phoneNumber = String(key.at(-1));
          if (group.push(phoneNumber) < groupSize) continue;
          yield* (await getMany(group)).values();
          group = [];
        }
        yield* (await getMany(group)).values();
      }
    },
    async put(offers) {
      let added = 0;
      for (let at = 0; at < offers.length; at += groupSize) {
        added += await putGroup(offers.slice(at, at + groupSize));
      }
      return added;
    },
  };
}

const kindKeys = ({ isoCountry, kinds, phoneNumber }: NumberOffer): Deno.KvKey[] =>
  kinds.map((kind) => keys.stockOfKind(isoCountry ?? "", kind, phoneNumber));

/** Where in the store to look, as narrowly as the search allows. */
function selectors({ isoCountry, kind, areaCode }: NumberSearch): Deno.KvListSelector[] {
  const prefix = isoCountry !== undefined && kind !== undefined
    ? keys.stockKind(isoCountry, kind)
    : keys.stock;
  if (areaCode === undefined) return [{ prefix }];
  const start = `+1${areaCode}`;
  return [{ start: [...prefix, start], end: [...prefix, `${start}:`] }];
}
