/**
 * Tells whether calls and texts may leave the service to a number. Without prefixes every number is allowed;
 * otherwise one of them has to allow it.
 */
export const mayLeaveTo = (number: string, prefixes: readonly string[]): boolean =>
  prefixes.length === 0 || beginsWithAny(number, prefixes);

/**
 * True when a number in E.164 form begins with one of some prefixes, such as `+49`. Another
 * spelling, or keys behind it (`+49*1`), may mean another number to a carrier: the result is false.
 */
export const beginsWithAny = (number: string, prefixes: readonly string[]): boolean =>
  /^\+\d+$/.test(number) && prefixes.some((prefix) => number.startsWith(prefix));
