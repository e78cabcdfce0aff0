import type { Stock } from "../model/ports/ports.ts";
import type { NumberProvider } from "../model/ports/providers.ts";

/**
 * Only the numbers that the operator loaded. One is available while the inventory has it and no account
 * holds it, so a number that is released is available again without anything being written.
 */
export const inventoryNumbers = (stock: Stock): NumberProvider => ({
  countries: () => stock.countries(),
  search: (wanted) => stock.search(wanted),
  offer: (phoneNumber) => stock.get(phoneNumber),
  notify: () => Promise.resolve(),
});
