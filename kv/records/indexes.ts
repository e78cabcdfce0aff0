import type { Base } from "../../core/base/record.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import { sidTime } from "../../core/base/sid.ts";
import { type Batch, stageRaise } from "../store/batch.ts";
import { type Counted, stageCount } from "../store/counters.ts";
import { type IndexValue, keys, type Place } from "../store/keys.ts";
import {
  type IndexedField,
  isWithoutEnd,
  lackingOf,
  type Layout,
  textOf,
  undatedField,
} from "./layout.ts";

/** A record before and after a change; absent before its creation, or after its removal. */
export interface Transition {
  before?: AnyRecord;
  after?: AnyRecord;
}

/** The Sid of a record that changes. */
export function sidIn({ before, after }: Transition): string {
  const record = before ?? after;
  if (record === undefined) throw new Error("Cannot stage a change of no record");
  return record.sid;
}

/** The indexes of a resource; `lacking` are those that have no entry of the record yet. */
export interface Indexed {
  place: Place;
  /** The record's Sid as part of a key. */
  ord: Uint8Array;
  layout: Layout;
  lacking?: IndexedField[];
}

/**
 * Moves the index entries of a record and their counters, and the widest distances of its dates.
 */
export function stageIndexes(
  batch: Batch,
  { place, ord, layout, lacking = [] }: Indexed,
  change: Transition,
): void {
  const ms = sidTime(sidIn(change));
  const [before, after] = [stateOf(layout, change.before), stateOf(layout, change.after)];
  for (const index of layout.indexes) {
    const was = lacking.includes(index) ? undefined : before;
    stageEntry(batch, { place, index, ord, ms }, { before: was, after });
  }
  if (change.after === undefined) return;
  for (const { field } of layout.dates) {
    const date = change.after[field];
    if (typeof date !== "number" || date === change.before?.[field]) continue;
    const distance = Math.ceil(Math.abs(date - ms));
    if (distance > 0) stageRaise(batch, keys.field({ ...place, field }), distance);
  }
}

const empty = new Uint8Array(0);

interface Filing {
  place: Place;
  index: IndexedField;
  /** The record's Sid as part of a key. */
  ord: Uint8Array;
  /** The time of the record's Sid. */
  ms: number;
}

/** A record, and the dates that it lacks when it is over. */
interface State {
  record: AnyRecord;
  lacking: string | undefined;
}

/** The entries of a record in an index: by its value, and by its value and missing dates. */
interface Filed {
  entry: Counted;
  undated: Counted | undefined;
}

/**
 * A record that lacks dates is counted by value and missing dates only when it is over. A record
 * that is under way gets its dates later, which would leave a counter of 0 for each of its values.
 * Records under way are few and have their own index.
 */
function stateOf(layout: Layout, record: AnyRecord | undefined): State | undefined {
  if (record === undefined) return undefined;
  const lacking = lackingOf(layout.dates, record);
  const isOver = lacking !== undefined && !isWithoutEnd(layout, lacking);
  return { record, lacking: isOver ? lacking : undefined };
}

function filed({ place, index }: Filing, state: State | undefined): Filed | undefined {
  const value = state === undefined ? null : index.valueOf(state.record);
  if (state === undefined || value === null) return undefined;
  const { account, prefix } = place;
  const { field } = index;
  const entry = { account, prefix, field, value };
  const isOfAll = field === "" || field === undatedField;
  const { lacking } = state;
  return { entry, undated: lacking === undefined || isOfAll ? undefined : { ...entry, lacking } };
}

function stageEntry(
  batch: Batch,
  filing: Filing,
  { before, after }: { before: State | undefined; after: State | undefined },
): void {
  if (isUnmoved(filing.index, before, after)) return;
  const [was, is] = [filed(filing, before), filed(filing, after)];
  const isSameValue = isSame(was?.entry.value, is?.entry.value);
  if (isSameValue && was?.undated?.lacking === is?.undated?.lacking) return;
  const { index: { field, depth }, ord, ms } = filing;
  if (was?.undated) stageCount(batch, was.undated, { depth, ms, by: -1 });
  if (is?.undated) stageCount(batch, is.undated, { depth, ms, by: 1 });
  if (isSameValue) return;
  if (was) {
    if (field !== "") batch.deletes.push(keys.entry(was.entry, was.entry.value, ord));
    stageCount(batch, was.entry, { depth, ms, by: -1 });
  }
  if (is) {
    const key = keys.entry(is.entry, is.entry.value, ord);
    if (field !== "") batch.sets.push({ key, value: empty });
    stageCount(batch, is.entry, { depth, ms, by: 1 });
  }
}

/**
 * Returns whether a change leaves the entries of an index as they are, as most changes do with most
 * indexes.
 */
const isUnmoved = (index: IndexedField, before: State | undefined, after: State | undefined) =>
  before !== undefined && after !== undefined && before.lacking === after.lacking &&
  isSame(index.valueOf(before.record), index.valueOf(after.record));

const isSame = (a?: IndexValue | null, b?: IndexValue | null): boolean =>
  a === b || a instanceof Uint8Array && b instanceof Uint8Array && a.toHex() === b.toHex();

/**
 * Moves the service-wide keys of a record: unique values and groups. `tenant` is that of the record's
 * account; only a resource with `tenantGroups` needs it.
 */
export function stageGlobals(
  batch: Batch,
  definition: AnyResource,
  change: Transition,
  tenant: string | undefined,
): void {
  for (const field of definition.unique ?? []) {
    stageUnique(batch, definition.sidPrefix, field, change);
  }
  const { sidPrefix: prefix, groups = {}, tenantGroups = {} } = definition;
  for (const [group, valueOf] of Object.entries(groups)) {
    stageMembership(batch, { prefix, group }, change, valueOf);
  }
  for (const [group, isMember] of Object.entries(tenantGroups)) {
    if (tenant === undefined) throw new Error(`The group ${group} needs the tenant of a record`);
    const valueOf = (record: AnyRecord) => isMember(record) ? tenant : null;
    stageMembership(batch, { prefix, group }, change, valueOf);
  }
}

function stageUnique(
  batch: Batch,
  prefix: string,
  field: string,
  { before, after }: { before?: Base; after?: Base },
): void {
  const was = before && textOf(before, field) || undefined;
  const is = after && textOf(after, field) || undefined;
  if (was === is) return;
  if (was !== undefined) batch.deletes.push(keys.unique(prefix, field, was));
  if (after === undefined || is === undefined) return;
  const key = keys.unique(prefix, field, is);
  batch.checks.push({ key, versionstamp: null });
  batch.sets.push({ key, value: [after.accountSid, after.sid] });
}

function stageMembership(
  batch: Batch,
  { prefix, group }: { prefix: string; group: string },
  change: Transition,
  valueOf: (record: AnyRecord) => string | null,
): void {
  const { before, after } = change;
  const was = before === undefined ? null : valueOf(before);
  const is = after === undefined ? null : valueOf(after);
  if (was === is) return;
  const sid = sidIn(change);
  if (was !== null) batch.deletes.push(keys.member({ prefix, group, value: was, sid }));
  if (is !== null && after !== undefined) {
    const key = keys.member({ prefix, group, value: is, sid });
    batch.sets.push({ key, value: after.accountSid });
  }
}
