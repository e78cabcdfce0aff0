import { limits } from "../../core/base/limits.ts";
import type { Account } from "../../core/resources/accounts.ts";

/** The accounts that were read within the last moment, so that each request need not read them. */
export interface AccountCache {
  /** Undefined when it was not read within `limits.accountRecentMs`. */
  get(sid: string): Account | undefined;
  /** Reads an account and remembers it. */
  reading(sid: string, read: () => Promise<Account | null>): Promise<Account | null>;
  /** Forgets an account that this instance has written, or may have. */
  wrote(sid: string): void;
}

export function accountCache(now: () => number): AccountCache {
  const known = new Map<string, { account: Account; readAt: number }>();
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
      // What was read while a write was under way may be what it was before the write.
      if (account === null || writes !== before.writes) return account;
      known.delete(sid); // So that it becomes the newest.
      known.set(sid, { account: Object.freeze(account), readAt: before.readAt });
      const [oldest = sid] = known.keys();
      if (known.size > limits.recentAccounts) known.delete(oldest);
      return account;
    },
    wrote(sid) {
      writes++;
      known.delete(sid);
    },
  };
}
