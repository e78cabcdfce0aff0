import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Base } from "../../core/base/record.ts";
import type { Change, Collection, Query, Slice } from "../../core/model/store.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import { pascal } from "../../core/base/wire.ts";
import { type Batch, emptyBatch, isCurrent } from "../store/batch.ts";
import { jitter } from "../store/commit_retrying.ts";
import { keys, sidOf } from "../store/keys.ts";
import { textOf } from "../records/layout.ts";
import { forgetTexts } from "./forget_texts.ts";
import { oldEntries, sweepCounters } from "./remove_old.ts";
import { packedAfterMs, packTexts } from "./pack.ts";
import { isOvertaken } from "../records/references.ts";
import { completing } from "../records/absent_fields.ts";
import { listOf } from "../cache/list_states.ts";
import type { IsSteady } from "../cache/page_cache.ts";
import { readPage } from "../lists/read_page.ts";
import type { Stored } from "../cache/record_cache.ts";
import type { Committer } from "../store/commit.ts";
import { recordCodec } from "../records/record_codec.ts";
import { type ResourceStore, stageInsert, stageReplace } from "./stage_record.ts";
import type { StoreContext } from "./store_context.ts";
import { type Address, entryOf, stageEffects, tooBusy, write } from "./write_record.ts";

/** The collection of one resource, with the staging of changes that belong to other commits. */
export interface StoredCollection<T extends Base> extends Collection<T> {
  /** Without `isChecked` the rest of the batch must check an entry that its own success changes. */
  stageInsert(batch: Batch, record: T, isChecked?: boolean): Promise<void>;
  /** Stages a change of a record; `undefined` removes it. False when there is no such record. */
  stageChange(
    batch: Batch,
    of: Pick<Base, "accountSid" | "sid">,
    change: (before: T) => T | undefined,
  ): Promise<boolean>;
  /** The record of an entry of the store. Throws for one that cannot be read. */
  decode(entry: Stored): T;
}

/** Stores the records of one resource, each with its indexes and other entries in one commit. */
export function collection<T extends Base>(
  store: StoreContext,
  name: string,
  definition: AnyResource,
): StoredCollection<T> {
  const { fields: { [name]: fields }, seal, cache } = store;
  if (fields === undefined) throw new Error(`Cannot store ${name}: the schema lacks its fields`);
  const { secret = [] } = definition;
  const codec = recordCodec({ fields, secret, seal, cache, complete: completing(definition) });
  const recordOf = (entry: Stored): T => codec.recall(entry) as Base as T;
  const state: ResourceStore<T> = {
    store,
    name,
    definition,
    get layout() {
      return store.layouts.of(name);
    },
    codec,
    recordOf,
  };
  return {
    get: (account, sid) => get(state, { account, sid }),
    stageInsert: (batch, record, isChecked) => stageInsert(state, batch, { record, isChecked }),
    stageChange: (batch, of, change) => stageChange(state, batch, { of, change }),
    decode: recordOf,
    insert: (change) => insert(state, change, store.committer.commit),
    insertSoon: (change) =>
      store.unwaited.add(
        insert(state, change, (batch) => store.committer.later(() => Promise.resolve(batch))),
      ),
    update: (account, sid, change) => write(state, { account, sid }, { change }),
    remove: async (account, sid, change = (record) => ({ record })) => {
      await write(state, { account, sid }, { change, removes: true });
    },
    erase: (account, sids) => eraseAll(state, account, { sids }),
    removeOld: (account, before, stays = () => false) =>
      removeOld(state, account, { before, stays }),
    list: (account, query) => listed(state, account, query),
    packTexts: (account, signal) => packAll(state, account, signal),
    async holder(field, value) {
      if (value.length > limits.lookupLength) return null; // The store refuses so long a key.
      const held = await store.read<[string, string]>(
        keys.unique(definition.sidPrefix, field, value),
      );
      if (held.value === null) return null;
      const [account, sid] = held.value;
      return await get(state, { account, sid });
    },
    group: (group, value) => membersOf(state, group, value),
  };
}

async function get<T extends Base>(state: ResourceStore<T>, at: Address): Promise<T | null> {
  const entry = await entryOf(state, at);
  return entry && state.recordOf(entry);
}

async function stageChange<T extends Base>(
  state: ResourceStore<T>,
  batch: Batch,
  { of, change }: {
    of: Pick<Base, "accountSid" | "sid">;
    change: (before: T) => T | undefined;
  },
): Promise<boolean> {
  const entry = await entryOf(state, { account: of.accountSid, sid: of.sid });
  if (entry === null) return false;
  const before = state.recordOf(entry);
  const after = change(before);
  if (after !== before) await stageReplace(state, batch, { entry, before, after });
  return true;
}

/** `commit`: makes the commit, at once or with another one. */
async function insert<T extends Base>(
  state: ResourceStore<T>,
  change: Change<T>,
  commit: Committer["commit"],
): Promise<T> {
  const { store, definition } = state;
  const { record } = change;
  for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
    const batch = emptyBatch();
    await stageInsert(state, batch, { record, hasHappened: change.hasHappened });
    await stageEffects(store, batch, { change, isNew: true });
    if (await commit(batch) !== null) return record;
    if (isCurrent(batch) && !await isOvertaken(batch, store.read)) {
      throw new Fault("alreadyExists", takenNames(definition, record));
    }
    await jitter(attempt * 5);
  }
  throw tooBusy(record.sid);
}

async function removeOld<T extends Base>(
  state: ResourceStore<T>,
  account: string,
  { before, stays }: { before: number; stays(record: T): boolean },
): Promise<number> {
  const { store: { kv }, definition: { sidPrefix: prefix } } = state;
  const number = await state.store.accountNumber(account);
  if (number === null) return 0;
  const place = { account: number, prefix };
  const old = await oldEntries({ kv, place }, before, (entry) => {
    try {
      return !stays(state.recordOf(entry));
    } catch (error) {
      state.store.log("Cannot read a record", { sid: sidOf(prefix, entry.key), error });
      return false; // It stays, and the others go.
    }
  });
  await eraseAll(state, account, { sids: old.map(({ key }) => sidOf(prefix, key)), stays });
  return old.length;
}

/**
 * Removes records, and what the store keeps of their values besides. Those that `stays` is true of by
 * then stay. Resolves with the Sids of those that were removed.
 */
async function eraseAll<T extends Base>(
  state: ResourceStore<T>,
  account: string,
  { sids, stays = () => false }: { sids: string[]; stays?: (record: T) => boolean },
): Promise<string[]> {
  const { store: { kv, committer, states }, definition, layout } = state;
  const number = await state.store.accountNumber(account);
  if (number === null) return [];
  const place = { account: number, prefix: definition.sidPrefix };
  const removed: T[] = [];
  const erase = async (sid: string) => {
    let before: T | undefined;
    const change = (record: T) => {
      if (stays(record)) throw new Fault("notFound", sid); // It changed meanwhile.
      before = record;
      return definition.removed?.(record as never) as Change<T> | undefined ?? { record };
    };
    await write(state, { account, sid }, { change, removes: true });
    if (before !== undefined) removed.push(before);
  };
  await Promise.all(sids.map((sid) => erase(sid).catch(throwUnlessMissing)));
  const at = { kv, committer, isShared: states === null, place, layout: layout.written };
  await sweepCounters(at, removed as AnyRecord[]);
  await forgetTexts(at, removed.map(({ sid }) => sid));
  return removed.map(({ sid }) => sid);
}

async function listed<T extends Base>(
  state: ResourceStore<T>,
  account: string,
  query: Query,
): Promise<Slice<T>> {
  const { store: { kv, counters, depths, states, runs, pages }, definition, layout, codec } = state;
  const number = await state.store.accountNumber(account);
  if (number === null) return { items: [], total: 0 };
  const place = { account: number, prefix: definition.sidPrefix };
  const { complete, missing } = layout;
  const source = { kv, counters, depths, states, place, layout: complete, missing, codec, runs };
  const read = (isSteady?: IsSteady) =>
    readPage<T>({ ...source, isSteady }, query, (sid) => get(state, { account, sid }));
  return await (pages === null ? read() : pages.page(place, query, read));
}

async function packAll<T extends Base>(
  { store, definition, layout, codec }: ResourceStore<T>,
  accountSid: string,
  signal: AbortSignal,
): Promise<void> {
  const { kv, committer } = store;
  const account = await store.accountNumber(accountSid);
  if (account === null) return;
  const before = store.now() - packedAfterMs;
  for (const field of layout.complete.texts) {
    const at = { account, prefix: definition.sidPrefix, field };
    await packTexts({ kv, committer, codec, at, before, signal });
  }
}

/**
 * The records of a group. The store names its members, maybe from a commit that the records in memory
 * do not follow yet: they are read once they do.
 */
async function membersOf<T extends Base>(
  state: ResourceStore<T>,
  group: string,
  value: string,
): Promise<T[]> {
  const { store, definition: { sidPrefix, groups, tenantGroups } } = state;
  const prefix = keys.group(sidPrefix, group, value);
  const members = await Array.fromAsync(store.kv.list<string>({ prefix }));
  await store.states?.followed(listOf(prefix));
  const records: T[] = [];
  for (const { key, value: account } of members) {
    const sid = String(key.at(-1));
    try {
      const record = await get(state, { account, sid });
      if (record === null) continue;
      const isMember = groups?.[group]?.(record as never) === value ||
        tenantGroups?.[group]?.(record as never) === true;
      if (isMember) records.push(record); // It may have left the group meanwhile.
    } catch (error) {
      if (error instanceof Fault && error.kind === "unavailable") throw error;
      // The records belong to several accounts: one that cannot be read must not hide the others.
      store.log("Cannot read a record", { sid, error });
    }
  }
  return records;
}

function throwUnlessMissing(error: unknown): void {
  const isMissing = error instanceof Fault && error.fault === "notFound";
  if (!isMissing) throw error;
}

const takenNames = ({ unique = [] }: AnyResource, record: Base): string =>
  unique.map((field) => `${pascal(field)} ${textOf(record, field)}`).join(", ") || record.sid;
