import type { Row } from "../frame/api.ts";
import { priced } from "../frame/parts.tsx";

/** Adds the currency to the price of a record: its `price_unit`, or `currency` where it has none. */
export function withCurrency(row: Row, { currency }: { currency: string | null }): Row {
  if (!row.price) return row;
  // A text or null, as the declaration of messages has it.
  const own = row.price_unit === undefined ? currency : row.price_unit as string | null;
  return { ...row, price: priced(row.price, { currency: own }), price_unit: null };
}
