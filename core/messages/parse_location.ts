import type { GeolocationData } from "../model/resources/geolocations.ts";

/**
 * Reads a location source's answer: `mcc`, `mnc`, `lac`, `cellid`, `aol` and `vlrNumber` as
 * `name=value`, separated by commas, in any order; other names are ignored. Null when it holds none
 * of them. A value that is missing, or that should be a number and is none, is null.
 */
export function parseLocation(answer: string): GeolocationData | null {
  const found = new Map(
    answer.split(/[,\n]/).map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim().toLowerCase(), value.join("=").trim()] as const;
    }),
  );
  const text = (name: string) => found.get(name)?.slice(0, valueLength) || null;
  const number = (name: string) => {
    const value = found.get(name) ?? "";
    return /^-?\d{1,15}$/.test(value) ? Number(value) : null;
  };
  const data = {
    cellId: text("cellid"),
    locationAreaCode: text("lac"),
    mobileCountryCode: number("mcc"),
    mobileNetworkCode: text("mnc"),
    networkEntityAddress: number("vlrnumber"),
    locationAge: number("aol"),
  };
  return Object.values(data).every((value) => value === null) ? null : data;
}

const valueLength = 64;
