import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { tenantOf } from "../../core/accounts/tenant.ts";
import type { Accounts } from "../../core/ports/ports.ts";
import type { Change } from "../../core/model/store.ts";
import { type Account, accounts as definition } from "../../core/resources/accounts.ts";
import { isSid } from "../../core/base/sid.ts";
import type { StoreContext } from "./store_context.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import { jitter } from "../store/commit_retrying.ts";
import { keys } from "../store/keys.ts";
import { type AccountCache, accountCache } from "../cache/account_cache.ts";
import { mapFields } from "../store/seal.ts";

/** An account as stored; `number` replaces its Sid in the keys of its records. */
export interface StoredAccount {
  number: bigint;
  account: Account;
}

const { sidPrefix: prefix, secret = [] } = definition;
const emailKey = (email: string) => keys.unique(prefix, "emailAddress", email.toLowerCase());

/** The store of the accounts. */
interface State {
  store: Pick<StoreContext, "kv" | "read" | "committer" | "seal" | "now" | "stageCaused">;
  accounts: AccountCache;
  /** The last account that was read, as stored, and whether it had to be opened. */
  last: { value: StoredAccount; isNew: boolean } | null;
  /** Accounts by the values that they were opened from: the store may give the same one again. */
  opened: WeakMap<StoredAccount, Account>;
}

/** The tree of accounts. */
export function accountTree(store: State["store"]): Accounts {
  const state: State = {
    store,
    accounts: accountCache(store.now),
    last: null,
    opened: new WeakMap(),
  };
  return {
    get: (sid) => get(state, sid),
    recent: state.accounts.get,
    decoy: () => decoy(state),
    insert: (change) => insert(state, change),
    update: (sid, change) => update(state, sid, change),
    async byEmail(email) {
      if (email.length > limits.lookupLength) return null;
      const { value } = await store.read<string>(emailKey(email));
      return value === null ? null : await get(state, value);
    },
    async children(sid) {
      const sids = await childSids(store.kv, sid);
      const children = await Promise.all(sids.map((child) => get(state, child)));
      return children.filter((child) => child !== null);
    },
    childSids: (sid) => childSids(store.kv, sid),
  };
}

function opened({ store: { seal }, opened }: State, stored: StoredAccount): Account {
  const account = opened.get(stored) ?? Object.freeze(mapFields(stored.account, secret, seal.open));
  opened.set(stored, account);
  return account;
}

/** The last account that was read, at the cost that it had. */
const decoy = (state: State): Account | null =>
  state.last &&
  opened(state, state.last.isNew ? structuredClone(state.last.value) : state.last.value);

const stored = ({ store: { seal } }: State, number: bigint, account: Account): StoredAccount => ({
  number,
  account: mapFields(account, secret, seal.seal),
});

async function get(state: State, sid: string): Promise<Account | null> {
  if (!isSid(sid, prefix)) return null;
  return await state.accounts.reading(sid, async () => {
    const { value } = await state.store.read<StoredAccount>(keys.account(sid));
    if (value === null) return null;
    state.last = { value, isNew: !state.opened.has(value) };
    return opened(state, value);
  });
}

async function childSids(kv: Deno.Kv, sid: string): Promise<string[]> {
  const entries = kv.list({ prefix: keys.children(sid) }, { reverse: true, batchSize: 500 });
  return (await Array.fromAsync(entries)).map(({ key }) => String(key.at(-1)));
}

/** Throws when the e-mail address is in use by another account. */
async function checkEmail({ store }: State, { emailAddress, sid }: Account): Promise<void> {
  const { value } = await store.kv.get<string>(emailKey(emailAddress));
  if (value !== null && value !== sid) {
    throw new Fault("alreadyExists", `EmailAddress ${emailAddress}`);
  }
}

/** Commits a batch with the further effects of its change. False when a check failed. */
async function commit(
  { store }: State,
  batch: Batch,
  { jobs = [], also = [] }: Change<Account>,
): Promise<boolean> {
  await store.stageCaused(batch, { jobs, also });
  return await store.committer.commit(batch) !== null;
}

/** Throws where an account has so many sub-accounts. */
async function checkSiblings(kv: Deno.Kv, parent: string, most: number): Promise<void> {
  if (most === Infinity) return;
  const { length } = await childSids(kv, parent);
  if (length < most) return;
  throw new Fault(
    "badParameter",
    `account ${parent} has ${length} sub-accounts, the most it may have`,
  );
}

async function insert(
  state: State,
  { siblings = Infinity, ...change }: Change<Account> & { siblings?: number },
): Promise<Account> {
  const account = change.record;
  for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
    await checkEmail(state, account);
    const last = await state.store.kv.get<bigint>(keys.accountNumber);
    const isSecondRoot = account.accountSid === "" && last.value !== null;
    if (isSecondRoot) throw new Fault("alreadyExists", "the root account");
    // The check of the last number holds this read: each insert changes it.
    await checkSiblings(state.store.kv, account.accountSid, siblings);
    const number = (last.value ?? 0n) + 1n;
    const batch = emptyBatch();
    batch.checks.push(last, { key: emailKey(account.emailAddress), versionstamp: null });
    batch.sets.push(
      { key: keys.accountNumber, value: number },
      { key: keys.account(account.sid), value: stored(state, number, account) },
      { key: emailKey(account.emailAddress), value: account.sid },
      { key: keys.child(account.accountSid, account.sid), value: null },
    );
    if (await commit(state, batch, change)) return account;
    await jitter(attempt * 5);
  }
  throw new Fault("unavailable", "too many accounts are created at the same time; retry");
}

async function update(
  state: State,
  sid: string,
  change: (account: Account) => Change<Account>,
): Promise<Account> {
  for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
    const entry = await state.store.kv.get<StoredAccount>(keys.account(sid));
    if (entry.value === null) throw new Fault("notFound", sid);
    const made = change(opened(state, entry.value));
    const batch = emptyBatch();
    batch.checks.push(entry);
    batch.sets.push({ key: entry.key, value: stored(state, entry.value.number, made.record) });
    try {
      if (await commit(state, batch, made)) return made.record;
    } finally {
      state.accounts.wrote(sid); // Also after an error: the commit may have been made.
    }
    await jitter(attempt * 5);
  }
  throw new Fault("unavailable", `too many requests change ${sid} at the same time; retry`);
}

/** What never changes of an account, so that each is read once: its number and its tenant. */
export function accountFacts(kv: Deno.Kv): Pick<StoreContext, "accountNumber" | "tenant"> {
  const known = new Map<string, { number: bigint; tenant: string }>();
  async function factsOf(sid: string) {
    const before = known.get(sid);
    if (before !== undefined) return before;
    const { value } = await kv.get<StoredAccount>(keys.account(sid));
    if (value === null) return null;
    const facts = { number: value.number, tenant: tenantOf(value.account) };
    known.set(sid, facts);
    return facts;
  }
  return {
    accountNumber: async (sid) => (await factsOf(sid))?.number ?? null,
    async tenant(sid) {
      const facts = await factsOf(sid);
      if (facts === null) throw new Fault("notFound", sid);
      return facts.tenant;
    },
  };
}
