import type { Base } from "../core/ports.ts";
import type { AnyRecord, AnyResource } from "../core/resource.ts";
import { sidTime } from "../core/sid.ts";
import { type Batch, stageRaise } from "./batch.ts";
import { stageCount } from "./counters.ts";
import { type IndexValue, keys, ordOf, type Place } from "./keys.ts";
import { type IndexedField, type Layout, textOf } from "./layout.ts";

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
  for (const index of layout.indexes) stageEntry(batch, { place, index }, change);
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

/** Notes which dates a record lacks: mostly those under way do, so that few are noted at a time. */
function stageUndated(
  batch: Batch,
  { place, layout }: { place: Place; layout: Layout },
  { before, after }: Transition,
): void {
  const lacking = (record: AnyRecord | undefined) =>
    layout.dates.filter(({ field, isAlways }) =>
      !isAlways && record !== undefined && typeof record[field] !== "number"
    ).map(({ field }) => field);
  const [was, is] = [lacking(before), lacking(after)];
  if (was.join() === is.join()) return;
  const key = keys.undated(place, ordOf((before ?? after)!.sid));
  if (is.length > 0) batch.sets.push({ key, value: is });
  else batch.deletes.push(key);
}

const empty = new Uint8Array(0);

function stageEntry(
  batch: Batch,
  { place, index: { field, depth, valueOf } }: { place: Place; index: IndexedField },
  { before, after }: Transition,
): void {
  const was = before === undefined ? null : valueOf(before);
  const is = after === undefined ? null : valueOf(after);
  if (isSame(was, is)) return;
  const { sid } = (before ?? after)!;
  const [ord, ms] = [ordOf(sid), sidTime(sid)];
  const at = { ...place, field };
  if (was !== null) {
    if (field !== "") batch.deletes.push(keys.entry(at, was, ord));
    stageCount(batch, { place: at, value: was, depth, ms }, -1);
  }
  if (is !== null) {
    if (field !== "") batch.sets.push({ key: keys.entry(at, is, ord), value: empty });
    stageCount(batch, { place: at, value: is, depth, ms }, 1);
  }
}

const isSame = (a: IndexValue | null, b: IndexValue | null): boolean =>
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
