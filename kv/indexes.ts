import type { Base } from "../core/ports.ts";
import type { AnyRecord, AnyResource } from "../core/resource.ts";
import { sidTime } from "../core/sid.ts";
import { type Batch, stageRaise } from "./batch.ts";
import { type Counted, stageCount } from "./counters.ts";
import { type IndexValue, keys, ordOf, type Place } from "./keys.ts";
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
  stageUndated(batch, { place, layout }, change);
  const { after } = change;
  if (after === undefined) return;
  for (const { field } of layout.dates) {
    const date = after[field];
    if (typeof date !== "number" || date === change.before?.[field]) continue;
    const distance = Math.ceil(Math.abs(date - sidTime(after.sid)));
    if (distance > 0) stageRaise(batch, keys.field({ ...place, field }), distance);
  }
}

/**
 * Notes which dates a record lacks that is under way: of these there are few at a time, and counting
 * them by every value that they pass through would leave a counter of 0 behind for each.
 */
function stageUndated(
  batch: Batch,
  { place, layout }: { place: Place; layout: Layout },
  { before, after }: Transition,
): void {
  const noted = (record: AnyRecord | undefined) =>
    record && isUnderWay(layout, record) ? lackingOf(layout, record) : undefined;
  const [was, is] = [noted(before), noted(after)];
  if (was === is) return;
  const key = keys.undated(place, ordOf((before ?? after)!.sid));
  if (is === undefined) batch.deletes.push(key);
  else batch.sets.push({ key, value: is.split(" ") });
}

const empty = new Uint8Array(0);

interface Filing {
  place: Place;
  layout: Layout;
  index: IndexedField;
}

/** What a record counts as in an index: as an entry, and as one that lacks dates; or as nothing. */
function filed({ place, layout, index }: Filing, record: AnyRecord | undefined): Counted[] {
  const value = record === undefined ? null : index.valueOf(record);
  if (record === undefined || value === null) return [];
  const entry = { ...place, field: index.field, value };
  const isCounted = index.field === "" || !isUnderWay(layout, record);
  const lacking = isCounted ? lackingOf(layout, record) : undefined;
  return lacking === undefined ? [entry] : [entry, { ...entry, lacking }];
}

function stageEntry(batch: Batch, filing: Filing, { before, after }: Transition): void {
  const [was, is] = [filed(filing, before), filed(filing, after)];
  const isSameValue = isSame(was[0]?.value, is[0]?.value);
  if (isSameValue && was[1]?.lacking === is[1]?.lacking) return;
  const { field, depth } = filing.index;
  const { sid } = (before ?? after)!;
  const [ord, ms] = [ordOf(sid), sidTime(sid)];
  for (const counted of was) stageCount(batch, counted, { depth, ms, by: -1 });
  for (const counted of is) stageCount(batch, counted, { depth, ms, by: 1 });
  if (isSameValue || field === "") return;
  if (was[0]) batch.deletes.push(keys.entry(was[0], was[0].value, ord));
  if (is[0]) batch.sets.push({ key: keys.entry(is[0], is[0].value, ord), value: empty });
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
