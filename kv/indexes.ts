import type { Base } from "../core/ports.ts";
import type { AnyResource } from "../core/resource.ts";
import type { Batch } from "./commit.ts";
import { keys } from "./keys.ts";

/** What a record was and what it becomes; absent before it exists, or after it is removed. */
interface Transition {
  before?: Base;
  after?: Base;
}

/** Moves the index entries of a record from what they were to what they become. */
export function stageIndexes(batch: Batch, definition: AnyResource, change: Transition): void {
  for (const field of definition.unique ?? []) {
    stageUnique(batch, definition.sidPrefix, field, change);
  }
  for (const group of Object.keys(definition.groups ?? {})) {
    stageMembership(batch, definition, group, change);
  }
}

/** A field's value as it stands in a key. */
export const fieldText = (record: Base, field: string): string =>
  String((record as Base & Record<string, unknown>)[field]);

function stageUnique(
  batch: Batch,
  prefix: string,
  field: string,
  { before, after }: Transition,
): void {
  const was = before && fieldText(before, field);
  const is = after && fieldText(after, field);
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
  const valueOf = (record: Base | undefined) =>
    record === undefined ? null : groups[group]!(record as Base & Record<string, unknown>);
  const [was, is] = [valueOf(before), valueOf(after)];
  if (was === is) return;
  const sid = (before ?? after)!.sid;
  if (was !== null) batch.deletes.push(keys.member({ prefix, group, value: was, sid }));
  if (is !== null) {
    const key = keys.member({ prefix, group, value: is, sid });
    batch.sets.push({ key, value: after!.accountSid });
  }
}
