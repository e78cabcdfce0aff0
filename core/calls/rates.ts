import { cellsOf } from "../values/csv.ts";

/**
 * Reads a table of what calls cost: lines of CSV, each a prefix of numbers in E.164 form (with or
 * without `+`; empty for all others) and the price of a minute. The longest prefix counts; a number
 * that none fits is free. A first line without a price names the columns. Throws an Error that says
 * which line is wrong.
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
  return (number) => {
    const digits = number.replace(/^\+/, "");
    for (let length = Math.min(digits.length, longest); length >= 0; length--) {
      const rate = rates.get(digits.slice(0, length));
      if (rate !== undefined) return rate;
    }
    return 0;
  };
}
