/**
 * An account that was read within the last second answers for right credentials. A change by the same
 * instance counts at once, one by another instance within a second.
 */
import { limits } from "../../core/base/limits.ts";
import type { Account } from "../../core/model/resources/accounts.ts";
import { lruCache } from "./lru_cache.ts";

/** A cache of accounts for a short time, so that not every request reads them. */
export interface AccountCache {
  /** Undefined when the account was not read within `limits.accountRecentMs`. */
  get(sid: string): Account | undefined;
  /** Reads an account and caches it. */
  reading(sid: string, read: () => Promise<Account | null>): Promise<Account | null>;
  /** Drops an account that this instance has written, or may have. */
  wrote(sid: string): void;
}

export function accountCache(now: () => number): AccountCache {
  const known = lruCache<{ account: Account; readAt: number }>(limits.recentAccounts);
  let writes = 0;

  return {
    get(sid) {
      const recent = known.get(sid);
      if (recent === undefined) return undefined;
      const age = now() - recent.readAt; // Negative when the clock was set back.
      return age >= 0 && age < limits.accountRecentMs ? recent.account : undefined;
    },
    async reading(sid, read) {
      const before = { readAt: now(), writes };
      const account = await read();
      // A read during a write may have found the account before the write.
      if (account === null || writes !== before.writes) return account;
      known.keep(sid, { account: Object.freeze(account), readAt: before.readAt }, 1);
      return account;
    },
    wrote(sid) {
      writes++;
      known.forget(sid);
    },
  };
}
