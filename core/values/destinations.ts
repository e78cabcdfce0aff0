/**
 * Whether calls and texts may leave the service to a number: one that begins with one of the prefixes,
 * such as `+49`. Without prefixes every number is allowed.
 */
export const mayLeaveTo = (number: string, prefixes: readonly string[]): boolean =>
  prefixes.length === 0 || prefixes.some((prefix) => number.startsWith(prefix));
