/**
 * Tenants of sub-accounts that this process has read of or was told of. Code that cannot wait for the
 * store counts by them; it counts an account that is not known as its own tenant.
 */
import { limits } from "./limits.ts";

/** Sub-accounts with the accounts right under the root that they belong to, which never change. */
const tenants = new Map<string, string>();

/** Has what is counted for accounts count for their tenants from now on. The oldest are forgotten. */
export function learnTenants(learned: Readonly<Record<string, string>>): void {
  for (const [account, tenant] of Object.entries(learned)) {
    const [oldest] = tenants.keys();
    const isFull = tenants.size >= limits.knownTenants && !tenants.has(account);
    if (isFull && oldest !== undefined) tenants.delete(oldest);
    tenants.set(account, tenant);
  }
}

/** The tenant of an account, by what was learned; the account itself where nothing was. */
export const learnedTenant = (account: string): string => tenants.get(account) ?? account;
