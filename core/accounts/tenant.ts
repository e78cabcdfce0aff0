/**
 * Tenants. Bounds of a customer's use of an instance count by tenant: an account could
 * otherwise pass them by sub-accounts of its own.
 */
import type { Accounts } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";

/**
 * Sid of the account right below the root account that an account belongs to; the root's is its
 * own.
 */
export const tenantOf = ({ sid, ancestors }: Pick<Account, "sid" | "ancestors">): string =>
  ancestors[1] ?? sid;

/**
 * The field `tenant` of what begins a leg at a companion. Only a sub-account has it: any other is its
 * own tenant.
 */
export function tenantField(account: Pick<Account, "sid" | "ancestors">): { tenant?: string } {
  const tenant = tenantOf(account);
  return tenant === account.sid ? {} : { tenant };
}

/** Returns whether an account is the root account, for which some places are reserved. */
export const isRoot = ({ ancestors }: Pick<Account, "ancestors">): boolean =>
  ancestors.length === 0;

/** Tenants of accounts that only their Sid names. */
export interface Tenants {
  /** Reads the tenant of an account once: it never changes. An account that is gone is its own. */
  find(accountSid: string): Promise<string>;
  /** The tenant that `find` has read; the account itself where it has not. */
  known(accountSid: string): string;
}

/** Tenants, each read at the first use of its account. */
export function createTenants(accounts: Pick<Accounts, "get" | "recent">): Tenants {
  const found = new Map<string, string>();
  return {
    async find(accountSid) {
      const before = found.get(accountSid);
      if (before !== undefined) return before;
      const account = accounts.recent(accountSid) ?? await accounts.get(accountSid);
      const tenant = account === null ? accountSid : tenantOf(account);
      // Of two reads at once the first counts: places taken under it are released under it.
      const known = found.get(accountSid) ?? tenant;
      found.set(accountSid, known);
      return known;
    },
    known: (accountSid) => found.get(accountSid) ?? accountSid,
  };
}

/** Those of some accounts that are below the account of their tenant, with their tenants. */
export async function subAccounts(
  accountSids: readonly string[],
  tenants: Pick<Tenants, "find">,
): Promise<Record<string, string>> {
  const found = new Map<string, string>();
  for (const sid of new Set(accountSids)) found.set(sid, await tenants.find(sid));
  return Object.fromEntries([...found].filter(([sid, tenant]) => sid !== tenant));
}
