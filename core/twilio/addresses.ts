import {
  addresses as definition,
  type PostalAddress,
} from "../model/resources/internal/addresses.ts";
import { equal, notFiltered } from "./noun/filters.ts";
import { action, noun, refused, stored } from "./noun/noun.ts";
import { asFields, changed, fetched, found, listedOf, made, removed } from "./noun/regular.ts";
import { basic } from "./noun/written.ts";

const { fields } = definition;

const parameters = {
  FriendlyName: stored(fields.friendlyName.unwrap()),
  CustomerName: stored(fields.customerName),
  Street: stored(fields.street),
  StreetSecondary: stored(fields.streetSecondary.unwrap()),
  City: stored(fields.city),
  Region: stored(fields.region),
  PostalCode: stored(fields.postalCode),
  EmergencyEnabled: refused("there are no emergency calls", ["false"]),
  AutoCorrectAddress: refused("addresses are not checked", ["false", "true"]),
};

const required = <T extends { schema: unknown }>(name: keyof typeof fields, of: T) => ({
  ...of,
  schema: fields[name],
  note: "required",
});

/** A postal address: stored and shown, without effect. */
export const addresses = noun<PostalAddress>({
  type: "Address",
  path: "Addresses",
  plural: "addresses",
  note: "addresses are kept and shown; no number needs one",
  fields: {
    ...basic,
    friendly_name: ({ friendlyName }) => friendlyName,
    customer_name: ({ customerName }) => customerName,
    street: ({ street }) => street,
    street_secondary: ({ streetSecondary }) => streetSecondary,
    city: ({ city }) => city,
    region: ({ region }) => region,
    postal_code: ({ postalCode }) => postalCode,
    iso_country: ({ isoCountry }) => isoCountry,
    emergency_enabled: () => false,
    validated: () => false,
    verified: () => false,
  },
  address: ({ sid }) => `Addresses/${sid}`,
  create: action({
    parameters: {
      ...parameters,
      CustomerName: required("customerName", parameters.CustomerName),
      Street: required("street", parameters.Street),
      City: required("city", parameters.City),
      Region: required("region", parameters.Region),
      PostalCode: required("postalCode", parameters.PostalCode),
      IsoCountry: required("isoCountry", stored(fields.isoCountry)),
    },
    perform: (asked, sent) => made("addresses", asFields(sent), asked),
  }),
  fetch: fetched("addresses"),
  update: action({
    parameters,
    perform: (asked, sent) => changed("addresses", asFields(sent), asked),
  }),
  remove: removed("addresses"),
  listed: listedOf("addresses", {
    CustomerName: equal("customerName"),
    FriendlyName: equal("friendlyName"),
    IsoCountry: equal("isoCountry"),
    EmergencyEnabled: notFiltered("there are no emergency calls", ["false"]),
  }),
});

/** Numbers that need an address: there are none. */
export const dependentPhoneNumbers = noun<PostalAddress>({
  type: "DependentPhoneNumber",
  path: "Addresses/{AddressSid}/DependentPhoneNumbers",
  plural: "dependent_phone_numbers",
  note: "no number needs an address; the list is empty",
  fields: {},
  address: null,
  listed: {
    filters: {},
    async read(asked) {
      await found("addresses", asked.path.AddressSid ?? "", asked);
      return { items: [], total: 0 };
    },
  },
});
