import type { Account } from "../resources/accounts.ts";

/** Whether an account is another or one of its descendants. */
export const isWithin = (account: Account, above: string): boolean =>
  account.sid === above || account.ancestors.includes(above);

/**
 * Whether two accounts belong together: one is above the other, or both are below the same account
 * right under the root. Others are unrelated: a number or Login of one must not receive another's
 * calls.
 */
export const areRelated = (a: Account, b: Account): boolean =>
  isWithin(a, b.sid) || isWithin(b, a.sid) || tenantOf(a) === tenantOf(b);

/** The account right under the root that an account is or is below; the root is its own. */
export const tenantOf = ({ sid, ancestors }: Pick<Account, "sid" | "ancestors">): string =>
  ancestors[1] ?? sid;

/** Whether an account is the operator's own. */
export const isRoot = ({ ancestors }: Pick<Account, "ancestors">): boolean =>
  ancestors.length === 0;
