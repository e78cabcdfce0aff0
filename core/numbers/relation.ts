import { tenantOf } from "../accounts/tenant.ts";
import type { Account } from "../model/resources/accounts.ts";

/** True when an account is another or one of its descendants. */
export const isWithin = (account: Account, above: string): boolean =>
  account.sid === above || account.ancestors.includes(above);

/**
 * Tells whether two accounts belong together: one is above the other, or both are of the same tenant. Others
 * are unrelated: a number or Login of one must not receive another's calls.
 */
export const areRelated = (a: Account, b: Account): boolean =>
  isWithin(a, b.sid) || isWithin(b, a.sid) || tenantOf(a) === tenantOf(b);
