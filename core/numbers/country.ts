import { isSupportedCountry } from "libphonenumber-js/max";
import type { NumberCountry } from "../model/resources/available_phone_numbers.ts";

/** True for the ISO 3166-1 code of a country with telephone numbers. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

/** A country as an account sees it, by its code, with its name in English. */
export const toCountry = (accountSid: string, isoCountry: string): NumberCountry => ({
  sid: "",
  accountSid,
  dateCreated: 0,
  dateUpdated: 0,
  isoCountry,
  country: names.of(isoCountry) ?? isoCountry,
});
