import { Fault } from "../../core/base/faults.ts";
import { packTexts as packTextsJob } from "../../core/model/job_kinds.ts";
import type { Base } from "../../core/base/record.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import type { Stored } from "../cache/record_cache.ts";
import { stageJobs } from "../jobs/queue.ts";
import { stageGlobals, stageIndexes, type Transition } from "../records/indexes.ts";
import { entryOfUnfinished, type LayoutState } from "../records/layouts.ts";
import type { RecordCodec } from "../records/record_codec.ts";
import { stageReferences } from "../records/references.ts";
import { stageSorted } from "../records/sorted.ts";
import { type Batch, keyText, type Named } from "../store/batch.ts";
import { keys, ordOf, type Place, type RecordKey } from "../store/keys.ts";
import type { Read } from "../store/reader.ts";
import { countChanged, countNew } from "./count_uses.ts";
import { asksForPacking, packedAfterMs, stageTexts } from "./pack.ts";
import type { StoreContext } from "./store_context.ts";
import type { KvEntry, KvKey } from "../store/key_value_store.ts";

/** The store of one resource's records. */
export interface ResourceStore<T extends Base> {
  store: StoreContext;
  name: string;
  definition: AnyResource;
  /** The layout by which records are written now. */
  readonly layout: LayoutState;
  codec: RecordCodec;
  recordOf(entry: Stored): T;
}

/** The number of an account in keys. Throws `notFound`. */
export async function numberOf(store: StoreContext, account: string): Promise<bigint> {
  const number = await store.accountNumber(account);
  if (number === null) throw new Fault("notFound", account);
  return number;
}

/** Stages the entries beside a record: references, unique values, groups, indexes and texts. */
async function stageRest<T extends Base>(
  { store, name, definition, layout: state }: ResourceStore<T>,
  batch: Batch,
  { key, before, after }: { key: KvKey; before?: T; after?: T },
): Promise<void> {
  const transition = { ...before && { before }, ...after && { after } } as Transition;
  const [account, , ord] = key as RecordKey;
  const place = { account, prefix: definition.sidPrefix };
  await stageReferences(batch, { read: store.read, account }, definition, transition);
  const record = after ?? before;
  const tenant = definition.tenantGroups === undefined || record === undefined
    ? undefined
    : await store.tenant(record.accountSid);
  stageGlobals(batch, definition, transition, tenant);
  const { written: layout } = state;
  batch.premises.push(() => store.layouts.of(name) === state);
  const isLacking = before !== undefined &&
    await isUnfinished(batch, { read: store.read, place, state }, before);
  const lacking = isLacking ? state.unfinished : [];
  stageIndexes(batch, { place, ord, layout, lacking }, transition);
  if (layout.sorted) stageSorted(batch, { place, sorted: layout.sorted }, transition);
  stageTexts(batch, { place, layout, now: store.now() }, transition);
}

/**
 * Returns whether the indexes under construction have no entry of a record. The batch checks that
 * they get none before its commit.
 */
async function isUnfinished(
  batch: Batch,
  { read, place, state: { unfinished } }: { read: Read; place: Place; state: LayoutState },
  record: Base,
): Promise<boolean> {
  if (unfinished.length === 0) return false;
  const ord = ordOf(record.sid);
  const key = entryOfUnfinished({ place, unfinished, ord }, record as AnyRecord);
  if (key === null || (await read(key)).versionstamp !== null) return false;
  batch.checks.push({ key, versionstamp: null });
  return true;
}

/** The stored value of a record. */
const valueOf = <T extends Base>({ definition, codec }: ResourceStore<T>, record: T) => ({
  value: codec.encode(record),
  record,
  isSeldomRead: definition.isSeldomRead?.(record as Base as AnyRecord) === true,
});

/** Stages a new record. Without `isChecked` the batch does not check that its Sid is unused. */
export async function stageInsert<T extends Base>(
  state: ResourceStore<T>,
  batch: Batch,
  { record: made, isChecked = true, hasHappened = false }: {
    record: T;
    isChecked?: boolean | undefined;
    /** Limits count the record, and do not refuse it. */
    hasHappened?: boolean | undefined;
  },
): Promise<void> {
  const { store, name, layout, definition } = state;
  const record = definition.uses === undefined
    ? made
    : await countNew(store, batch, { definition, record: made, hasHappened });
  const account = await numberOf(store, record.accountSid);
  const key = keys.record(account, record.sid);
  const named = { key, name: keyText(key) };
  if (isChecked) batch.checks.push({ ...named, versionstamp: null });
  batch.sets.push({ ...named, ...valueOf(state, record) });
  await stageRest(state, batch, { key, after: record });
  if (layout.written.texts.length === 0 || !asksForPacking(record.sid)) return;
  const packing = { accountSid: record.accountSid, resource: name };
  stageJobs(batch, [packTextsJob(packing, store.now() + packedAfterMs)], store);
}

/** Stages the replacement of an entry's record, or its removal when `after` is absent. */
export async function stageReplace<T extends Base>(
  state: ResourceStore<T>,
  batch: Batch,
  { entry, before, after, hasHappened = false }: {
    entry: KvEntry<unknown> & Named;
    before: T;
    after?: T | undefined;
    /** Limits count the change, and do not refuse it. */
    hasHappened?: boolean | undefined;
  },
): Promise<void> {
  batch.checks.push(entry);
  const { definition } = state;
  if (definition.uses !== undefined) {
    await countChanged(state.store, batch, { definition, before, after, hasHappened });
  }
  if (after === undefined) {
    batch.deletes.push(entry.key);
    if (state.definition.hasSipTrace) {
      batch.deletes.push(keys.sipTrace(before.accountSid, before.sid));
    }
  } else {
    const { key, name } = entry;
    batch.sets.push({ key, ...name && { name }, ...valueOf(state, after) });
  }
  await stageRest(state, batch, { key: entry.key, before, ...after && { after } });
}
