import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Accounts } from "../../core/ports/ports.ts";
import type { Change } from "../../core/model/store.ts";
import { type Account, accounts as definition } from "../../core/resources/accounts.ts";
import { isSid } from "../../core/base/sid.ts";
import type { StoreContext } from "./collection.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import { jitter } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import { accountCache } from "../cache/account_cache.ts";
import { mapFields } from "../store/seal.ts";

/** An account as stored; `number` stands for its Sid in the keys of its records. */
export interface StoredAccount {
  number: bigint;
  account: Account;
}

const { sidPrefix: prefix, secret = [] } = definition;
const emailKey = (email: string) => keys.unique(prefix, "emailAddress", email.toLowerCase());

/** The tree of accounts. */
export function accountTree(
  store: Omit<
    StoreContext,
    | "accountNumber"
    | "fields"
    | "log"
    | "counters"
    | "read"
    | "cache"
    | "runs"
    | "states"
  >,
): Accounts {
  const { kv, committer, seal } = store;
  const accounts = accountCache(store.now);
  const opened = ({ account }: StoredAccount) => mapFields(account, secret, seal.open);
  const stored = (number: bigint, account: Account): StoredAccount => ({
    number,
    account: mapFields(account, secret, seal.seal),
  });

  async function get(sid: string): Promise<Account | null> {
    if (!isSid(sid, prefix)) return null;
    return await accounts.reading(sid, async () => {
      const { value } = await kv.get<StoredAccount>(keys.account(sid));
      return value === null ? null : opened(value);
    });
  }

  async function finish(batch: Batch, { jobs = [], also = [] }: Change<Account>): Promise<boolean> {
    await store.stageCaused(batch, { jobs, also });
    return await committer.commit(batch) !== null;
  }

  /** Throws when the address is in use by another account. */
  async function checkEmail(account: Account): Promise<void> {
    const { value } = await kv.get<string>(emailKey(account.emailAddress));
    if (value !== null && value !== account.sid) {
      throw new Fault("alreadyExists", `EmailAddress ${account.emailAddress}`);
    }
  }

  async function insert(change: Change<Account>): Promise<Account> {
    const account = change.record;
    for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
      await checkEmail(account);
      const last = await kv.get<bigint>(keys.accountNumber);
      const isSecondRoot = account.accountSid === "" && last.value !== null;
      if (isSecondRoot) throw new Fault("alreadyExists", "the root account");
      const number = (last.value ?? 0n) + 1n;
      const batch = emptyBatch();
      batch.checks.push(last, { key: emailKey(account.emailAddress), versionstamp: null });
      batch.sets.push(
        { key: keys.accountNumber, value: number },
        { key: keys.account(account.sid), value: stored(number, account) },
        { key: emailKey(account.emailAddress), value: account.sid },
        { key: keys.child(account.accountSid, account.sid), value: null },
      );
      if (await finish(batch, change)) return account;
      await jitter(attempt * 5);
    }
    throw new Fault("unavailable", "Too many new accounts at once");
  }

  async function update(
    sid: string,
    change: (account: Account) => Change<Account>,
  ): Promise<Account> {
    for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
      const entry = await kv.get<StoredAccount>(keys.account(sid));
      if (entry.value === null) throw new Fault("notFound", sid);
      const made = change(opened(entry.value));
      const batch = emptyBatch();
      batch.checks.push(entry);
      batch.sets.push({ key: entry.key, value: stored(entry.value.number, made.record) });
      try {
        if (await finish(batch, made)) return made.record;
      } finally {
        accounts.wrote(sid); // Also after an error: the write may have arrived.
      }
      await jitter(attempt * 5);
    }
    throw new Fault("unavailable", `Too many changes of ${sid} at once`);
  }

  async function childSids(sid: string): Promise<string[]> {
    const entries = kv.list({ prefix: keys.children(sid) }, { reverse: true, batchSize: 500 });
    return (await Array.fromAsync(entries)).map(({ key }) => String(key.at(-1)));
  }

  return {
    get,
    recent: accounts.get,
    insert,
    update,
    async byEmail(email) {
      if (email.length > limits.lookupLength) return null;
      const { value } = await kv.get<string>(emailKey(email));
      return value === null ? null : await get(value);
    },
    async children(sid) {
      const children = await Promise.all((await childSids(sid)).map(get));
      return children.filter((child) => child !== null);
    },
    childSids,
  };
}

/** Looks an account's number up; it never changes, so each is read once. */
export function accountNumbers(kv: Deno.Kv): StoreContext["accountNumber"] {
  const known = new Map<string, bigint>();
  return async (sid) => {
    const number = known.get(sid);
    if (number !== undefined) return number;
    const { value } = await kv.get<StoredAccount>(keys.account(sid));
    if (value === null) return null;
    known.set(sid, value.number);
    return value.number;
  };
}
