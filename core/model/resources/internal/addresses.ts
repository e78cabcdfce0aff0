import { z } from "zod";
import { limits } from "../../../base/limits.ts";
import { type RecordOf, resource } from "../../resource.ts";

const line = z.string().max(limits.addressLineLength);

/** A postal address that Twilio's libraries keep. Internal to their interface; nothing uses it. */
export const addresses = resource({
  type: "Address",
  description: "A postal address.",
  path: "Addresses",
  sidPrefix: "AD",
  irregular: true,
  internal: true,
  fields: {
    friendlyName: z.string().max(limits.friendlyNameLength).nullable(),
    customerName: line.min(1),
    street: line.min(1),
    streetSecondary: line.nullable(),
    city: line.min(1),
    region: line.min(1),
    postalCode: line.min(1),
    isoCountry: z.string().regex(/^[A-Z]{2}$/, "must be two capital letters (ISO 3166-1)"),
  },
  defaults: { friendlyName: null, streetSecondary: null },
  filters: { customerName: "equals", friendlyName: "equals", isoCountry: "equals" },
});

export type PostalAddress = RecordOf<typeof addresses>;
