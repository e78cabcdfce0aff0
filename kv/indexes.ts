import type { Base } from "../core/ports.ts";
import type { AnyRecord, AnyResource } from "../core/resource.ts";
import { sidTime } from "../core/sid.ts";
import { type Batch, stageRaise } from "./batch.ts";
import { type Counted, type Depth, stageCount } from "./counters.ts";
import { type IndexValue, keys, ordOf, type Place, type Undated } from "./keys.ts";
import { type IndexedField, isUnderWay, lackingOf, type Layout, textOf } from "./layout.ts";

/** What a record was and what it becomes; absent before it exists, or after it is removed. */
export interface Transition {
  before?: AnyRecord;
  after?: AnyRecord;
}

/** Moves the index entries of a record, their counters, and what is kept of its dates. */
export function stageIndexes(
  batch: Batch,
  { place, layout }: { place: Place; layout: Layout },
  change: Transition,
): void {
  for (const index of layout.indexes) stageEntry(batch, { place, layout, index }, change);
  const { after } = change;
  if (after === undefined) return;
  for (const { field } of layout.dates) {
    const date = after[field];
    if (typeof date !== "number" || date === change.before?.[field]) continue;
    const distance = Math.ceil(Math.abs(date - sidTime(after.sid)));
    if (distance > 0) stageRaise(batch, keys.field({ ...place, field }), distance);
  }
}

const empty = new Uint8Array(0);

interface Filing {
  place: Place;
  layout: Layout;
  index: IndexedField;
}

/** How a record stands in an index: by its value, and by the dates that it lacks. */
interface Filed {
  counted: Counted;
  undated?: Undated;
  isUnderWay: boolean;
}

function filed({ place, layout, index }: Filing, record: AnyRecord | undefined): Filed | null {
  const value = record === undefined ? null : index.valueOf(record);
  if (record === undefined || value === null) return null;
  const counted = { ...place, field: index.field, value };
  const lacking = lackingOf(layout, record);
  const entry = { counted, isUnderWay: isUnderWay(layout, record) };
  return lacking === undefined ? entry : { ...entry, undated: { ...counted, lacking } };
}

function stageEntry(batch: Batch, filing: Filing, { before, after }: Transition): void {
  const [was, is] = [filed(filing, before), filed(filing, after)];
  const isSameValue = isSame(was?.counted.value, is?.counted.value);
  if (isSameValue && was?.undated?.lacking === is?.undated?.lacking) return;
  const { field, depth } = filing.index;
  const { sid } = (before ?? after)!;
  const moved = { ord: ordOf(sid), ms: sidTime(sid), depth };
  if (was) stageUndated(batch, was, { ...moved, by: -1 });
  if (is) stageUndated(batch, is, { ...moved, by: 1 });
  if (isSameValue) return;
  if (was) stageCount(batch, was.counted, { ...moved, by: -1 });
  if (is) stageCount(batch, is.counted, { ...moved, by: 1 });
  if (field === "") return;
  if (was) batch.deletes.push(keys.entry(was.counted, was.counted.value, moved.ord));
  if (is) {
    batch.sets.push({ key: keys.entry(is.counted, is.counted.value, moved.ord), value: empty });
  }
}

/**
 * Counts a record that lacks dates. By the values of one that is under way it has entries instead:
 * there are few at a time, and counters would be left at 0 for every value that they pass through.
 */
function stageUndated(
  batch: Batch,
  { undated, isUnderWay }: Filed,
  { ord, ...moved }: { ord: Uint8Array; ms: number; depth: Depth; by: 1 | -1 },
): void {
  if (undated === undefined) return;
  if (undated.field === "" || !isUnderWay) stageCount(batch, undated, moved);
  else if (moved.by < 0) batch.deletes.push(keys.undated(undated, ord));
  else batch.sets.push({ key: keys.undated(undated, ord), value: empty });
}

const isSame = (a: IndexValue | undefined, b: IndexValue | undefined): boolean =>
  a === b || a instanceof Uint8Array && b instanceof Uint8Array && a.toHex() === b.toHex();

/** Moves the keys of a record that are the service's, not its account's: unique values, groups. */
export function stageGlobals(batch: Batch, definition: AnyResource, change: Transition): void {
  for (const field of definition.unique ?? []) {
    stageUnique(batch, definition.sidPrefix, field, change);
  }
  for (const group of Object.keys(definition.groups ?? {})) {
    stageMembership(batch, definition, group, change);
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
  { sidPrefix: prefix, groups = {} }: AnyResource,
  group: string,
  { before, after }: Transition,
): void {
  const valueOf = (record: AnyRecord | undefined) =>
    record === undefined ? null : groups[group]!(record);
  const [was, is] = [valueOf(before), valueOf(after)];
  if (was === is) return;
  const sid = (before ?? after)!.sid;
  if (was !== null) batch.deletes.push(keys.member({ prefix, group, value: was, sid }));
  if (is !== null) {
    const key = keys.member({ prefix, group, value: is, sid });
    batch.sets.push({ key, value: after!.accountSid });
  }
}
