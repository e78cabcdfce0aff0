import { isSupportedCountry } from "libphonenumber-js/max";

/** Whether a text is the ISO 3166-1 code of a country with telephone numbers. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

/** What a country is called in English. */
export const countryName = (code: string): string => names.of(code) ?? code;
