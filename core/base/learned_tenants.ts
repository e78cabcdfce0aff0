/**
 * Tenants of sub-accounts that this process has read or received. Code that cannot wait for the
 * store counts by them. An account without an entry counts as its own tenant.
 */
import { limits } from "./limits.ts";

/** Sub-accounts with the accounts right under the root that they belong to, which never change. */
const tenants = new Map<string, string>();

/** Adds tenants, by which accounts count from now on. At the limit the oldest are removed. */
export function learnTenants(learned: Readonly<Record<string, string>>): void {
  for (const [account, tenant] of Object.entries(learned)) {
    const [oldest] = tenants.keys();
    const isFull = tenants.size >= limits.cachedTenants && !tenants.has(account);
    if (isFull && oldest !== undefined) tenants.delete(oldest);
    tenants.set(account, tenant);
  }
}

/** Tenant of an account; the account itself without an entry. */
export const learnedTenant = (account: string): string => tenants.get(account) ?? account;
