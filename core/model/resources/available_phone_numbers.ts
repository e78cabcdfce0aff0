import { z } from "zod";
import { areaCode, capabilities } from "../values/offer.ts";
import { type RecordOf, resource } from "../resource.ts";

const place = z.string().nullable();
const flagText = z.enum(["true", "false"]);

/**
 * A number that may be provisioned. It is offered and not stored: no record can be read by a Sid.
 */
export const availablePhoneNumbers = resource({
  type: "AvailablePhoneNumber",
  description: "A phone number that can be provisioned now.",
  path: "AvailablePhoneNumbers",
  sidPrefix: "",
  irregular: true,
  fields: {
    friendlyName: z.string().describe("The number in its national form, for people."),
    phoneNumber: z.string().describe("The number in E.164 form."),
    lata: place.describe(
      "Local access and transport area of the number (USA), null where unknown.",
    ),
    rateCenter: place.describe("Rate center of the number (USA and Canada), null where unknown."),
    latitude: place.describe(
      "Latitude of the place of the number in decimal degrees, null where unknown.",
    ),
    longitude: place.describe(
      "Longitude of the place of the number in decimal degrees, null where unknown.",
    ),
    region: place.describe(
      "Region of the number, such as a state or province, null where unknown.",
    ),
    postalCode: place.describe("Postal code of the place of the number, null where unknown."),
    isoCountry: place.describe(
      "Country of the number (ISO 3166-1, two letters), null where several countries share the range.",
    ),
    capabilities: capabilities.describe("What the number can carry."),
    areaCode: areaCode.describe("Lists only numbers of this area code: the three digits after +1."),
    contains: z.string().regex(/^[+\d*]{1,16}$/, "must be digits, and * for any digit").describe(
      "Lists only numbers that contain these digits; `*` stands for any digit.",
    ),
    voiceEnabled: flagText.describe(
      "Lists only numbers that can (true) or cannot (false) carry calls.",
    ),
    smsEnabled: flagText.describe(
      "Lists only numbers that can (true) or cannot (false) carry text messages.",
    ),
    mmsEnabled: flagText.describe(
      "Lists only numbers that can (true) or cannot (false) carry multimedia messages.",
    ),
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
  description: "A country in which phone numbers can be provisioned.",
  path: availablePhoneNumbers.path,
  sidPrefix: "",
  irregular: true,
  fields: {
    isoCountry: z.string().describe("Country (ISO 3166-1, two letters)."),
    country: z.string().describe("Name of the country in English."),
  },
  hidden: ["sid", "accountSid", "dateCreated", "dateUpdated"],
  subresources: ["Local", "TollFree", "Mobile"],
});

export type NumberCountry = RecordOf<typeof numberCountries>;
