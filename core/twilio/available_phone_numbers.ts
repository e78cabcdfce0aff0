import { Fault } from "../base/faults.ts";
import type { Base } from "../base/record.ts";
import type { Condition } from "../base/filters.ts";
import { toAvailable } from "../numbers/available.ts";
import { isCountry, toCountry } from "../numbers/country.ts";
import { availableNumbers } from "../numbers/search.ts";
import type { NumberCountry } from "../model/resources/available_phone_numbers.ts";
import { sliceOf } from "../model/rest/paging.ts";
import type {
  Capabilities,
  NumberOffer,
  NumberSearch,
  Place,
  PlacedSearch,
} from "../model/values/offer.ts";
import { areaCode } from "../model/values/offer.ts";
import type { NumberKind } from "../model/values/phone_number.ts";
import { always, equal, notFiltered } from "./noun/filters.ts";
import { type Asked, type Filter, noun } from "./noun/noun.ts";

/** The country in the path. Throws `notFound` for an unknown one. */
function countryOf({ path }: Asked, name: string): string {
  const text = path[name] ?? "";
  const code = text.toUpperCase();
  if (isCountry(code)) return code;
  throw new Fault("notFound", `the country "${text}" in the path is no ISO 3166 code`);
}

/** The countries in which numbers can be had. */
export const numberCountries = noun<NumberCountry>({
  type: "Country",
  path: "AvailablePhoneNumbers",
  plural: "countries",
  fields: {
    country_code: ({ isoCountry }) => isoCountry,
    country: ({ country }) => country,
    beta: () => false,
  },
  address: ({ isoCountry }) => `AvailablePhoneNumbers/${isoCountry}`,
  below: { local: "Local", toll_free: "TollFree", mobile: "Mobile" },
  fetch: (asked) =>
    Promise.resolve().then(() => toCountry(asked.account.sid, countryOf(asked, "Sid"))),
  listed: {
    filters: {},
    async read({ account, ports }, query) {
      const codes = await ports.numbers.countries();
      return sliceOf(codes.sort().map((code) => toCountry(account.sid, code)), query);
    },
  },
});

type Offered = Base & NumberOffer & { friendlyName: string };

const truth = (field: string): Filter => equal(field, ["true", "false"]);

const filters: Record<string, Filter> = {
  AreaCode: {
    ...equal("areaCode"),
    note: "the three digits after +1",
    conditions: (value) => {
      const read = areaCode.safeParse(value);
      if (read.success) return [{ field: "areaCode", op: "equals", value }];
      throw new Fault("badParameter", "must be three digits, the first 2 to 9");
    },
  },
  Contains: {
    ...equal("contains"),
    note: "digits, letters of a keypad, and `*` for one digit",
    conditions: (text) => [{ field: "contains", op: "equals", value: keypad(text) }],
  },
  SmsEnabled: truth("smsCapable"),
  MmsEnabled: truth("mmsCapable"),
  VoiceEnabled: truth("voiceCapable"),
  FaxEnabled: truth("faxCapable"),
  InRegion: equal("region"),
  InPostalCode: equal("postalCode"),
  InRateCenter: equal("rateCenter"),
  InLata: equal("lata"),
  InLocality: notFiltered("the place of a number is not known; use InRateCenter"),
  Beta: always("no number is new to the platform"),
  ExcludeAllAddressRequired: always("no number needs an address"),
  ExcludeLocalAddressRequired: always("no number needs an address"),
  ExcludeForeignAddressRequired: always("no number needs an address"),
  NearNumber: notFiltered("distances are not known"),
  NearLatLong: notFiltered("distances are not known"),
  Distance: notFiltered("distances are not known"),
};

const keys = ["ABC2", "DEF3", "GHI4", "JKL5", "MNO6", "PQRS7", "TUV8", "WXYZ9"];

/** The digits of letters on a keypad (ITU-T E.161). */
function keypad(text: string): string {
  const digits = text.replace(/^ /, "+").toUpperCase()
    .replace(/[A-Z]/g, (letter) => keys.find((key) => key.includes(letter))?.at(-1) ?? letter);
  if (/^[+\d*]{1,16}$/.test(digits)) return digits;
  throw new Fault("badParameter", "must be digits or letters, and * for any digit");
}

const capabilityNames = ["smsCapable", "mmsCapable", "voiceCapable", "faxCapable"];
const placeNames = ["region", "postalCode", "rateCenter", "lata"];

/** The filters of a search, beside the parts of the path. */
function searchOf(where: Condition[], path: NumberSearch): PlacedSearch {
  const pairs = where.flatMap((one) =>
    one.op === "equals" ? [[one.field, one.value] as const] : []
  );
  const some = (names: string[]) => pairs.filter(([field]) => names.includes(field));
  const capabilities: Partial<Capabilities> = Object.fromEntries(
    some(capabilityNames).map(([field, value]) => [field, value === "true"]),
  );
  const place: Partial<Place> = Object.fromEntries(some(placeNames));
  return { ...path, ...Object.fromEntries(some(["areaCode", "contains"])), capabilities, place };
}

const ofKind = (segment: string, kind: NumberKind) =>
  noun<Offered>({
    type: "AvailablePhoneNumber",
    path: `AvailablePhoneNumbers/{Country}/${segment}`,
    plural: "available_phone_numbers",
    fields: {
      friendly_name: (offer) => offer.friendlyName,
      phone_number: (offer) => offer.phoneNumber,
      lata: (offer) => offer.lata,
      locality: () => null,
      rate_center: (offer) => offer.rateCenter,
      latitude: (offer) => offer.latitude,
      longitude: (offer) => offer.longitude,
      region: (offer) => offer.region,
      postal_code: (offer) => offer.postalCode,
      iso_country: (offer) => offer.isoCountry,
      address_requirements: () => "none",
      beta: () => false,
      capabilities: ({ capabilities }) => ({
        voice: capabilities.voiceCapable,
        SMS: capabilities.smsCapable,
        MMS: capabilities.mmsCapable,
        fax: capabilities.faxCapable,
      }),
    },
    address: null,
    listed: {
      filters,
      async read(asked, { where, skip, limit }) {
        const isoCountry = countryOf(asked, "Country");
        const search = searchOf(where, { isoCountry, kind });
        const offers = await availableNumbers(search, asked.ports);
        const items = offers.slice(skip, skip + limit)
          .map((offer) => ({ ...toAvailable(offer), kinds: offer.kinds }));
        return { items, total: offers.length };
      },
    },
  });

/** The numbers of a country that can be had, by kind. */
export const availableKinds = [
  ofKind("Local", "local"),
  ofKind("Mobile", "mobile"),
  ofKind("TollFree", "tollFree"),
];
