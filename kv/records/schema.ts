/**
 * The description that a store holds of itself. A record is the JSON of its values: the names of fields
 * stand once, in the store, and a new field is added at the end, so fields are never reordered. A record
 * that was whole when it was written is completed when it is read (`absent_fields.ts`): no pass over all
 * records for a new field.
 *
 * The version rose to 5 although keys and values were those of 4: versions that do not know unfinished
 * indexes must not open the store. It rose to 6 for finer counters of full buckets, which a former version
 * would not move.
 */
import { createHash } from "node:crypto";
import type { AnyResource } from "../../core/model/resource.ts";
import { declared, layoutName, layoutOf, type StoredLayout, undatedField } from "./layout.ts";

/** The version of the layout: the shapes of keys and values that this code reads and writes. */
export const schemaVersion = 6;

/** The description that a store holds of itself (`keys.version`); by resource. */
export interface Schema {
  version: number;
  /** The hash of `layouts`: stores with the same one have the same indexes. */
  hash: string;
  /** The entries beside the records. */
  layouts: Record<string, StoredLayout>;
  /** The order in which records hold their fields: a new field comes last. */
  fields: Record<string, string[]>;
  /** Indexes that do not cover all records yet. */
  building: Record<string, Building>;
  /** Work that must be done before the store is used. */
  pending?: Pending;
  /** Resources whose full buckets of a former version have no finer counters yet. */
  uncounted?: string[];
}

/** Indexes of one resource that are built while the store is used. */
export interface Building {
  fields: string[];
  /**
   * True once the entries of an earlier index of these fields are removed; until then no entry is
   * written.
   */
  isCleared: boolean;
}

/** An unfinished migration. */
export interface Pending {
  /** The version of the layout before. */
  from: number;
  /** Resources whose global entries and sort order are written. */
  resources: string[];
  /** Those of them whose sort order changed: entries of another one are removed first. */
  reordered: string[];
}

/** A description of version 4 and before; a number in version 1. */
interface FormerSchema {
  version: number;
  /** By `layoutName`. */
  layouts: Record<string, string>;
  /** Absent before version 3. */
  fields?: Record<string, string[]>;
}

/** The declarations that a program opens a store with, by resource. */
export type Declarations = Record<string, AnyResource>;

const base = ["sid", "accountSid", "dateCreated", "dateUpdated"];

/**
 * The description of a store under a program's declarations; the same object when nothing changes.
 * On a store that several services use, an index that only another one declares is retained. Throws
 * for a store of a later layout.
 */
export function nextSchema(
  found: Schema | FormerSchema | number | null,
  declarations: Declarations,
  isShared: boolean,
): Schema {
  const version = typeof found === "number" ? found : found?.version ?? schemaVersion;
  if (version > schemaVersion) {
    throw new Error(
      `Cannot open the store: its layout is version ${version}, and this program knows versions ` +
        `up to ${schemaVersion}. Start the version of the program that wrote it, or restore a backup`,
    );
  }
  const own = Object.fromEntries(
    Object.entries(declarations).map(([name, definition]) => [name, declared(definition)]),
  );
  if (found === null) return schemaOf({ layouts: own, fields: fieldsOf({}, declarations) });
  if (version < 5) {
    const former = typeof found === "number" ? { version, layouts: {} } : found as FormerSchema;
    return ofFormer(former, own, declarations);
  }
  const before = version < schemaVersion ? ofFifth(found as Schema) : found as Schema;
  const after = extended(before, { own, declarations, isShared });
  return JSON.stringify(after) === JSON.stringify(found) ? before : after;
}

/** Version 5 has no counters of the levels 4 and 5, and of level 3 those of all records alone. */
const ofFifth = (before: Schema): Schema => ({
  ...before,
  version: schemaVersion,
  uncounted: Object.keys(before.layouts),
});

function schemaOf(
  parts:
    & Pick<Schema, "layouts" | "fields">
    & Partial<Pick<Schema, "building" | "pending" | "uncounted">>,
): Schema {
  const { layouts, fields, building = {}, pending, uncounted } = parts;
  const hash = createHash("sha256").update(JSON.stringify(Object.entries(layouts).sort()));
  return {
    version: schemaVersion,
    hash: hash.digest("hex").slice(0, 32),
    layouts,
    fields,
    building,
    ...(pending && { pending }),
    ...(uncounted && { uncounted }),
  };
}

/** Fields by resource: those that the store has in its order, then new ones. */
const fieldsOf = (before: Schema["fields"], declarations: Declarations): Schema["fields"] => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(declarations).map(([name, { fields }]) => [
      name,
      [...new Set([...before[name] ?? [], ...base, ...Object.keys(fields)])],
    ]),
  ),
});

/** All fields that a layout has entries of, and the dates whose distances it keeps. */
const indexedFields = ({ filters, dates, texts }: StoredLayout): string[] => [
  ...filters,
  ...dates.map(({ field }) => field),
  ...(dates.some(({ isAlways }) => !isAlways) ? [undatedField] : []),
  ...texts,
];

/**
 * The description after a former version. Up to version 3 all indexes are built anew: their keys
 * and counters have other shapes. Version 4 names the layout of each resource; only differing ones
 * are built.
 */
function ofFormer(
  { version, layouts: former, fields = {} }: FormerSchema,
  own: Schema["layouts"],
  declarations: Declarations,
): Schema {
  const building: Schema["building"] = {};
  for (const [name, definition] of Object.entries(declarations)) {
    const layout = own[name]!; // Of the same declarations.
    const isSame = version === 4 && (former[name] === undefined ||
      former[name] === layoutName(layoutOf(definition)));
    if (!isSame && indexedFields(layout).length > 0) {
      building[name] = { fields: indexedFields(layout), isCleared: false };
    }
  }
  const names = Object.keys(declarations);
  const pending = { from: version, resources: names, reordered: names };
  return schemaOf({
    layouts: own,
    fields: fieldsOf(fields, declarations),
    building,
    pending,
    uncounted: names,
  });
}

function extended(
  before: Schema,
  { own, declarations, isShared }: {
    own: Schema["layouts"];
    declarations: Declarations;
    isShared: boolean;
  },
): Schema {
  const [layouts, building] = [{ ...before.layouts }, { ...before.building }];
  const again = new Set(before.pending?.resources);
  const reordered = new Set(before.pending?.reordered);
  for (const [name, declaration] of Object.entries(own)) {
    const was = before.layouts[name];
    const layout = was && isShared ? united(was, declaration) : declaration;
    layouts[name] = layout;
    if (was === undefined) continue; // A new resource has no records.
    const isReordered = JSON.stringify(was.sorted) !== JSON.stringify(layout.sorted);
    if (isReordered) reordered.add(name);
    if (isReordered || layout.global.some((one) => !was.global.includes(one))) again.add(name);
    const fields = [...addedFields(was, layout), ...removedFields(was, layout)];
    const { fields: unfinished, isCleared } = building[name] ?? { fields: [], isCleared: true };
    const kept = unfinished.filter((field) =>
      !fields.includes(field) && (indexedFields(layout).includes(field) || !isCleared)
    );
    const all = [...kept, ...fields];
    if (all.length === 0) delete building[name];
    else building[name] = { fields: all, isCleared: isCleared && fields.length === 0 };
  }
  const pending = again.size === 0 ? undefined : {
    from: before.pending?.from ?? schemaVersion,
    resources: [...again],
    reordered: [...reordered],
  };
  const fields = fieldsOf(before.fields, declarations);
  const { uncounted } = before;
  return schemaOf({
    layouts,
    fields,
    building,
    ...(pending && { pending }),
    ...(uncounted && { uncounted }),
  });
}

/** Groups that former versions looked up, and this one does not: their entries stay, and mean nothing. */
const dropped = new Set(["group patterns", "group ownPatterns"]);

/** A declaration with the filters of another one that indexes the same dates and order. */
function united(was: StoredLayout, own: StoredLayout): StoredLayout {
  const lacking = was.global.filter((name) => !own.global.includes(name) && !dropped.has(name));
  if (lacking.length > 0) {
    throw new Error(
      `Cannot open the store: another version of the program keeps "${lacking.join('", "')}" ` +
        `there, which this one does not know. Start all services with the same version`,
    );
  }
  const both = (a: string[], b: string[]) => [...new Set([...a, ...b])].sort();
  const sorted = own.sorted ?? was.sorted;
  const filters = both(was.filters, own.filters).filter((field) =>
    field !== own.sorted?.by && !own.sorted?.holds.includes(field)
  );
  return { ...own, filters, texts: both(was.texts, own.texts), ...(sorted && { sorted }) };
}

/** The fields whose indexes of the layout before do not serve. */
function addedFields(was: StoredLayout, is: StoredLayout): string[] {
  const isOtherDates = JSON.stringify(was.dates) !== JSON.stringify(is.dates);
  if (isOtherDates) return indexedFields(is); // Each index counts by missing dates.
  return [
    ...is.filters.filter((field) => !was.filters.includes(field)),
    ...is.texts.filter((field) => !was.texts.includes(field)),
  ];
}

/** The fields whose index nothing needs any more: their entries are removed. */
const removedFields = (was: StoredLayout, is: StoredLayout): string[] =>
  indexedFields(was).filter((field) => !indexedFields(is).includes(field));
