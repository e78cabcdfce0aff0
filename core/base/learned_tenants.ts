/**
 * Tenants of sub-accounts that this process has read or received. Code that cannot wait for the
 * store counts by them. An account without an entry counts as its own tenant: the service names no
 * tenant of accounts that are tenants themselves, and one of a former version names none at all.
 * What begins a leg names the tenant, so that nothing is taken under another one.
 */
import { limits } from "./limits.ts";

/**
 * Sub-accounts with the accounts right under the root that they belong to, which never change. The
 * least recently used is first: many sub-accounts of one tenant do not remove those in use.
 */
const tenants = new Map<string, string>();

/** Puts an account last. At the limit the first is removed. */
function use(account: string, tenant: string): void {
  tenants.delete(account);
  const [oldest] = tenants.keys();
  if (tenants.size >= limits.cachedTenants && oldest !== undefined) tenants.delete(oldest);
  tenants.set(account, tenant);
}

/**
 * Adds tenants, by which accounts count from now on. At the limit those are removed that were neither
 * learned nor used for the longest time.
 */
export function learnTenants(learned: Readonly<Record<string, string>>): void {
  for (const [account, tenant] of Object.entries(learned)) use(account, tenant);
}

/** Adds the tenant of an account where a message about it names one. */
export function learnTenant(
  { accountSid, tenant }: { accountSid: string; tenant?: string | undefined },
): void {
  if (tenant !== undefined) use(accountSid, tenant);
}

/** Tenant of an account; the account itself without an entry. */
export function learnedTenant(account: string): string {
  const tenant = tenants.get(account);
  if (tenant === undefined) return account;
  use(account, tenant);
  return tenant;
}
