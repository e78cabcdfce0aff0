import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { packTexts as packTextsJob } from "../../core/model/job_kinds.ts";
import type { Ports } from "../../core/ports/ports.ts";
import type { Base } from "../../core/base/record.ts";
import type { Change, Collection, Query, Slice } from "../../core/model/store.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import { isSid } from "../../core/base/sid.ts";
import { pascal } from "../../core/base/wire.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import { type Committer, jitter } from "../store/commit.ts";
import { stageGlobals, stageIndexes, type Transition } from "../records/indexes.ts";
import { keys, sidOf } from "../store/keys.ts";
import { stageCharges } from "./ledger.ts";
import { transferUniqueKeys } from "../records/transfer_unique_keys.ts";
import { layoutOf, textOf } from "../records/layout.ts";
import { oldEntries, sweepCounters } from "./remove_old.ts";
import { asksForPacking, packedAfterMs, packTexts, stageTexts } from "./pack.ts";
import { stageJobs } from "../jobs/queue.ts";
import type { Read } from "../store/reader.ts";
import { isOvertaken, stageReferences } from "../records/references.ts";
import type { ListSource } from "../lists/plan.ts";
import { readPage } from "../lists/read_page.ts";
import type { RecordCache } from "../cache/record_cache.ts";
import { recordCodec } from "../records/record_codec.ts";
import { type Stored } from "../cache/record_cache.ts";
import type { Seal } from "../store/seal.ts";
import { stageSorted } from "../records/sorted.ts";

/** What the collections of one store share. */
export interface StoreContext extends ListSource {
  read: Read;
  committer: Committer;
  seal: Seal;
  cache: RecordCache;
  /** The order in which records hold their fields, by resource. */
  fields: Record<string, string[]>;
  now(): number;
  log: Ports["log"];
  /** The number of an account in keys; null when there is no such account. */
  accountNumber(accountSid: string): Promise<bigint | null>;
  /** Stages the jobs that a change causes, and what it does in other collections. */
  stageCaused(batch: Batch, caused: Caused): Promise<void>;
}

type Caused = Pick<Change<Base>, "jobs" | "also" | "put" | "gone">;

export interface StoredCollection<T extends Base> extends Collection<T> {
  /** Without `isChecked` the rest of the batch must check what its own success changes. */
  stageInsert(batch: Batch, record: T, isChecked?: boolean): Promise<void>;
  /** Stages what becomes of a record: nothing removes it. False when there is none. */
  stageChange(
    batch: Batch,
    of: Pick<Base, "accountSid" | "sid">,
    change: (before: T) => T | undefined,
  ): Promise<boolean>;
}

/** Stores the records of one resource type, each with all that is kept beside it in one commit. */
export function collection<T extends Base>(
  store: StoreContext,
  name: string,
  definition: AnyResource,
): StoredCollection<T> {
  const { kv, committer, seal, cache, fields, counters, states, runs } = store;
  const { sidPrefix: prefix, secret = [] } = definition;
  const layout = layoutOf(definition);
  const codec = recordCodec({ fields: fields[name]!, secret, seal, cache });
  const recordOf = (entry: Stored): T => codec.decode(entry) as Base as T;

  async function entryOf(account: string, sid: string): Promise<Deno.KvEntry<unknown> | null> {
    if (!isSid(sid, prefix)) return null;
    const number = await store.accountNumber(account);
    if (number === null) return null;
    const entry = await store.read<unknown>(keys.record(number, sid));
    return entry.versionstamp === null ? null : entry;
  }

  async function get(account: string, sid: string): Promise<T | null> {
    const entry = await entryOf(account, sid);
    return entry && recordOf(entry);
  }

  /** Stages all that is kept beside a record. */
  async function stageRest(
    batch: Batch,
    account: bigint,
    change: { before?: T; after?: T },
  ): Promise<void> {
    const transition = change as Transition;
    const place = { account, prefix };
    await stageReferences(batch, { read: store.read, account }, definition, transition);
    stageGlobals(batch, definition, transition);
    stageIndexes(batch, { place, layout }, transition);
    if (layout.sorted) stageSorted(batch, { place, sorted: layout.sorted }, transition);
    stageTexts(batch, { place, layout, now: store.now() }, transition);
  }

  async function stageInsert(batch: Batch, record: T, isChecked = true): Promise<void> {
    const number = await store.accountNumber(record.accountSid);
    if (number === null) throw new Fault("notFound", record.accountSid);
    const key = keys.record(number, record.sid);
    if (isChecked) batch.checks.push({ key, versionstamp: null });
    batch.sets.push({ key, value: codec.encode(record) });
    await stageRest(batch, number, { after: record });
    if (layout.texts.length === 0 || !asksForPacking(record.sid)) return;
    const packing = { accountSid: record.accountSid, resource: name };
    const now = store.now();
    stageJobs(batch, [packTextsJob(packing, now + packedAfterMs)], now);
  }

  const stageChange: StoredCollection<T>["stageChange"] = async (batch, of, change) => {
    const entry = await entryOf(of.accountSid, of.sid);
    if (entry === null) return false;
    const before = recordOf(entry);
    const after = change(before);
    batch.checks.push(entry);
    if (after === undefined) batch.deletes.push(entry.key);
    else batch.sets.push({ key: entry.key, value: codec.encode(after) });
    await stageRest(batch, entry.key[0] as bigint, { before, ...after && { after } });
    return true;
  };

  async function finish(batch: Batch, change: Change<T>): Promise<boolean> {
    const { record, charges = [] } = change;
    await store.stageCaused(batch, change);
    if (charges.length > 0) {
      stageCharges(batch, (await store.accountNumber(record.accountSid))!, charges);
    }
    transferUniqueKeys(batch);
    return await committer.commit(batch) !== null;
  }

  async function insert(change: Change<T>): Promise<T> {
    for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
      const batch = emptyBatch();
      await stageInsert(batch, change.record);
      if (await finish(batch, change)) return change.record;
      if (!await isOvertaken(batch, store.read)) {
        throw new Fault("alreadyExists", takenNames(definition, change.record));
      }
      await jitter(attempt * 5);
    }
    throw tooBusy(change.record.sid);
  }

  /** Replaces or removes a record, retried while other writers win the race. */
  async function write(
    { account, sid }: { account: string; sid: string },
    change: (record: T) => Change<T>,
    removes: boolean,
  ): Promise<T> {
    for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
      const entry = await entryOf(account, sid);
      if (entry === null) throw new Fault("notFound", sid);
      const before = recordOf(entry);
      const made = change(before);
      if (!removes && made.record === before && !made.jobs?.length && !made.also?.length) {
        return before;
      }
      const batch = emptyBatch();
      batch.checks.push(entry);
      if (removes) batch.deletes.push(entry.key);
      else batch.sets.push({ key: entry.key, value: codec.encode(made.record) });
      const number = entry.key[0] as bigint;
      await stageRest(batch, number, removes ? { before } : { before, after: made.record });
      if (await finish(batch, made)) return made.record;
      await jitter(attempt * 5);
    }
    throw tooBusy(sid);
  }

  async function removeOld(account: string, before: number, stays = (_: T) => false) {
    const number = await store.accountNumber(account);
    if (number === null) return 0;
    const at = { kv, committer, place: { account: number, prefix }, layout };
    const old = await oldEntries(at, before, (entry) => !stays(recordOf(entry)));
    const gone = (record: T) => {
      if (stays(record)) throw new Fault("notFound", record.sid); // It came to stay meanwhile.
      return { record };
    };
    await Promise.all(
      old.map(({ key }) =>
        write({ account, sid: sidOf(prefix, key) }, gone, true).catch(throwUnlessMissing)
      ),
    );
    await sweepCounters(at, old.map((entry) => codec.decode(entry)));
    return old.length;
  }

  async function listed(account: string, query: Query): Promise<Slice<T>> {
    const number = await store.accountNumber(account);
    if (number === null) return { items: [], total: 0 };
    const place = { account: number, prefix };
    const source = { kv, counters, states, place, layout, codec, runs };
    return await readPage<T>(source, query, (sid) => get(account, sid));
  }

  return {
    get,
    insert,
    stageInsert,
    stageChange,
    update: (account, sid, change) => write({ account, sid }, change, false),
    remove: async (account, sid, change = (record) => ({ record })) => {
      await write({ account, sid }, change, true);
    },
    removeOld,
    list: listed,
    async packTexts(account, signal) {
      const number = await store.accountNumber(account);
      if (number === null) return;
      const before = store.now() - packedAfterMs;
      for (const field of layout.texts) {
        const at = { account: number, prefix, field };
        await packTexts({ kv, committer, codec, at, before, signal });
      }
    },
    async holder(field, value) {
      if (value.length > limits.lookupLength) return null; // Nor would the store take the key.
      const held = await kv.get<[string, string]>(keys.unique(prefix, field, value));
      return held.value === null ? null : await get(...held.value);
    },
    async group(name, value) {
      const records: T[] = [];
      const members = kv.list<string>({ prefix: keys.group(prefix, name, value) });
      for await (const { key, value: account } of members) {
        const sid = String(key.at(-1));
        try {
          const record = await get(account, sid);
          if (record !== null) records.push(record);
        } catch (error) {
          if (error instanceof Fault && error.kind === "unavailable") throw error;
          // They belong to several accounts: one that cannot be read hides none of the others.
          store.log("Cannot read a record", { sid, error });
        }
      }
      return records;
    },
  };
}

const tooBusy = (sid: string) => new Fault("unavailable", `Too many changes of ${sid} at once`);

function throwUnlessMissing(error: unknown): void {
  const isMissing = error instanceof Fault && error.fault === "notFound";
  if (!isMissing) throw error;
}

const takenNames = ({ unique = [] }: AnyResource, record: Base): string =>
  unique.map((field) => `${pascal(field)} ${textOf(record, field)}`).join(", ") || record.sid;
