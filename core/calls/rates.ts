import { cellsOf } from "../model/values/csv.ts";

/**
 * Reads a table of prices: lines of CSV, each a prefix of numbers in E.164 form (with or without `+`;
 * empty for all others) and the price of a minute. The longest prefix counts; a number without a prefix is
 * free. Where a dialled text has several readings, the dearest counts. A first line without a price names
 * the columns. Throws an Error that names the wrong line.
 */
export function readRates(text: string): (number: string) => number {
  const rates = new Map<string, number>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [prefix = "", price = "", ...more] = cellsOf(line);
    if (at === 0 && !/\d/.test(line)) continue;
    const digits = prefix.replace(/^\+/, "");
    if (!/^\d*$/.test(digits) || !/^\d{1,6}(?:\.\d{1,6})?$/.test(price) || more.length > 0) {
      throw new Error(`Cannot read line ${at + 1} of the rates: it must be PREFIX,PRICE`);
    }
    if (rates.has(digits)) {
      throw new Error(`Cannot read line ${at + 1} of the rates: prefix "${prefix}" is there twice`);
    }
    rates.set(digits, Math.round(Number(price) * 1_000_000));
  }
  const longest = Math.max(0, ...[...rates.keys()].map((digits) => digits.length));
  const rateOf = (digits: string): number => {
    for (let length = Math.min(digits.length, longest); length >= 0; length--) {
      const rate = rates.get(digits.slice(0, length));
      if (rate !== undefined) return rate;
    }
    return 0;
  };
  return (number) => Math.max(...readingsOf(number).map(rateOf));
}

/**
 * The digits that a carrier may read in a dialled text: all, those after an international prefix, and
 * those after a code of keys. No number in E.164 form begins with 0, so it has one reading.
 */
function readingsOf(number: string): string[] {
  const runs = number.split(/\D+/).filter((digits) => digits !== "");
  const readings = runs.flatMap((digits) => [digits, digits.replace(/^(?:00|011)/, "")]);
  return readings.length > 0 ? readings : [""];
}
