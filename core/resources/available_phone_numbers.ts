import { z } from "zod";
import { areaCode, capabilities } from "../values/offer.ts";
import { type RecordOf, resource } from "../model/resource.ts";

const place = z.string().nullable();
const flagText = z.enum(["true", "false"]);

/** A number that may be provisioned. It is offered, not kept: there is nothing to read by a Sid. */
export const availablePhoneNumbers = resource({
  type: "AvailablePhoneNumber",
  path: "AvailablePhoneNumbers",
  sidPrefix: "",
  irregular: true,
  fields: {
    friendlyName: z.string(),
    phoneNumber: z.string(),
    lata: place,
    rateCenter: place,
    latitude: place,
    longitude: place,
    region: place,
    postalCode: place,
    isoCountry: place,
    capabilities,
    /** These are only ever filters. */
    areaCode,
    contains: z.string().regex(/^[+\d*]{1,16}$/, "must be digits, and * for any digit"),
    voiceEnabled: flagText,
    smsEnabled: flagText,
    mmsEnabled: flagText,
  },
  hidden: [
    "sid",
    "accountSid",
    "dateCreated",
    "dateUpdated",
    "areaCode",
    "contains",
    "voiceEnabled",
    "smsEnabled",
    "mmsEnabled",
  ],
  filters: {
    areaCode: "equals",
    contains: "number",
    voiceEnabled: "equals",
    smsEnabled: "equals",
    mmsEnabled: "equals",
  },
});

/** A country that numbers are offered of; below it they are listed by kind. */
export const numberCountries = resource({
  type: "Country",
  path: availablePhoneNumbers.path,
  sidPrefix: "",
  irregular: true,
  fields: { isoCountry: z.string(), country: z.string() },
  hidden: ["sid", "accountSid", "dateCreated", "dateUpdated"],
  subresources: ["Local", "TollFree", "Mobile"],
});

export type NumberCountry = RecordOf<typeof numberCountries>;
