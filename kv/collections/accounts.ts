import { Fault } from "../../core/base/faults.ts";
import { learnTenants } from "../../core/base/learned_tenants.ts";
import { limits } from "../../core/base/limits.ts";
import { tenantOf } from "../../core/accounts/tenant.ts";
import type { Accounts } from "../../core/model/ports/ports.ts";
import type { Job } from "../../core/model/job.ts";
import { countUses } from "../../core/model/job_kinds.ts";
import type { Change } from "../../core/model/store.ts";
import {
  type AccountLimits,
  type LimitState,
  noLimits,
  unused,
} from "../../core/model/values/account_limits.ts";
import { type Account, accounts as definition } from "../../core/model/resources/accounts.ts";
import { isSid } from "../../core/base/sid.ts";
import type { StoreContext } from "./store_context.ts";
import { type Batch, emptyBatch, type Limiter } from "../store/batch.ts";
import { stageLimits } from "./limit_uses.ts";
import { jitter } from "../store/commit_retrying.ts";
import { keys } from "../store/keys.ts";
import { type AccountCache, accountCache } from "../cache/account_cache.ts";
import { mapFields } from "../store/seal.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/** An account as stored; `number` replaces its Sid in the keys of its records. */
export interface StoredAccount {
  number: bigint;
  account: Account;
}

const { sidPrefix: prefix, secret = [] } = definition;
const emailKey = (email: string) => keys.unique(prefix, "emailAddress", email.toLowerCase());

/** The store of the accounts. */
interface State {
  store: Pick<
    StoreContext,
    "kv" | "read" | "committer" | "seal" | "now" | "steadyNow" | "stageCaused"
  >;
  accounts: AccountCache;
  /** The last account that was read, as stored, and whether it had to be opened. */
  last: { value: StoredAccount; isNew: boolean } | null;
  /** Accounts by the values that they were opened from: the store may give the same one again. */
  opened: WeakMap<StoredAccount, Account>;
}

/** The tree of accounts, and which of them limit what an account does. */
export type AccountTree = Accounts & Pick<StoreContext, "limiters">;

/** The tree of accounts. */
export function accountTree(store: State["store"]): AccountTree {
  const state: State = {
    store,
    accounts: accountCache(store.steadyNow),
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
    limiters: (sid) => limitersOf(state, sid),
    async limitStates(sid) {
      const all = await limitersOf(state, sid);
      const found = await Promise.all(all.map(async ({ accountSid, since, level, isRoot }) => {
        const { value } = await store.read<LimitState>(keys.limits(accountSid));
        return value?.since === since ? [{ accountSid, level, isRoot, state: value }] : [];
      }));
      return found.flat();
    },
    setLimits: (sid, change) => setLimits(state, sid, change),
    async countEarlier(sid, { since, texts, spentMicros }) {
      const batch = emptyBatch();
      batch.checks.push(await store.kv.get(keys.account(sid)));
      const limiter = { accountSid: sid, since, level: 0, isRoot: false };
      stageLimits(batch, limiter, (found) => {
        const before = found as LimitState | null;
        if (before === null || before.since !== since || before.countsEarlier) return before;
        const { use } = before;
        const sums = { texts: use.texts + texts, spentMicros: use.spentMicros + spentMicros };
        return { ...before, use: { ...use, ...sums }, countsEarlier: true } satisfies LimitState;
      });
      if (await store.committer.commit(batch) === null) {
        throw new Fault("unavailable", "the account was changed at the same time; retry");
      }
    },
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
    const account = opened(state, value);
    const tenant = tenantOf(account);
    if (tenant !== sid) learnTenants({ [sid]: tenant }); // Before anything is done for it.
    return account;
  });
}

async function childSids(kv: KeyValueStore, sid: string): Promise<string[]> {
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
async function checkSiblings(kv: KeyValueStore, parent: string, most: number): Promise<void> {
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

/** The account itself and those above that have limits; a test account spends nothing. */
async function limitersOf(state: State, sid: string): Promise<Limiter[]> {
  const find = (sid: string) => state.accounts.get(sid) ?? get(state, sid);
  const account = await find(sid);
  if (account === null || account.type === "Test") return [];
  const above = account.ancestors.length === 0
    ? []
    : await Promise.all(account.ancestors.toReversed().map(find));
  return [account, ...above].flatMap((one, level) => {
    if (!one?.limitedSince) return [];
    const { sid: accountSid, limitedSince: since, ancestors } = one;
    return [{ accountSid, since, level, isRoot: ancestors.length === 0 }];
  });
}

async function setLimits(
  state: State,
  sid: string,
  change: (limits: AccountLimits) => { limits: AccountLimits; jobs?: Job[] },
): Promise<{ since: number | null; isFirst: boolean }> {
  const { store } = state;
  for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
    const entry = await store.kv.get<StoredAccount>(keys.account(sid));
    if (entry.value === null) throw new Fault("notFound", sid);
    const account = opened(state, entry.value);
    const { value: found } = await store.kv.get<LimitState>(keys.limits(sid));
    const known = found?.since === account.limitedSince ? found : null;
    const { limits: wanted, jobs = [] } = change(known?.limits ?? noLimits);
    const isLimited = Object.values(wanted).some((limit) => limit !== null);
    const isFirst = isLimited && !account.limitedSince;
    const now = store.now();
    const since = isLimited ? account.limitedSince ?? now : null;
    const batch = emptyBatch();
    batch.checks.push(entry);
    const record = { ...account, limitedSince: since, dateUpdated: now };
    batch.sets.push({ key: entry.key, value: stored(state, entry.value.number, record) });
    const named = { accountSid: sid, since: since ?? 0, level: 0, isRoot: false };
    if (since !== null) {
      stageLimits(batch, named, (found) => {
        const before = found as LimitState | null;
        const isSame = before?.since === since;
        const known = isSame ? before : { since, use: unused(now), countsEarlier: false };
        return { ...known, limits: wanted } satisfies LimitState;
      });
    }
    // Again when other services know of the limits: they remember accounts for a second.
    const passes = isFirst && since !== null ? [now, now + 2 * limits.accountRecentMs] : [];
    const first = passes.map((dueAt) => countUses({ accountSid: sid, since: since ?? 0 }, dueAt));
    try {
      if (await commit(state, batch, { record, jobs: [...jobs, ...first] })) {
        return { since, isFirst };
      }
    } finally {
      state.accounts.wrote(sid);
    }
    await jitter(attempt * 5);
  }
  throw new Fault("unavailable", `too many requests change ${sid} at the same time; retry`);
}

/** Facts of an account that never change, so that each is read once: its number and its tenant. */
export function accountFacts(kv: KeyValueStore): Pick<StoreContext, "accountNumber" | "tenant"> {
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
