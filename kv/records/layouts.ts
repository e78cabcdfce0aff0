import type { AnyRecord } from "../../core/model/resource.ts";
import { keys, type Place } from "../store/keys.ts";
import { type IndexedField, type Layout, layoutFrom } from "./layout.ts";
import type { Building, Schema } from "./schema.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** The layout of one resource while some of its indexes may be under construction. */
export interface LayoutState {
  /** Layout of new writes, beside the record. */
  written: Layout;
  /** Layout that covers all records: lists read nothing else. */
  complete: Layout;
  /** The indexes that are written and do not cover all records yet. */
  unfinished: IndexedField[];
  /** Fields of the declared filters and dates that are not in `complete`. */
  missing: ReadonlySet<string>;
}

/** The layouts of a store. They change while indexes are built, and by other services. */
export interface Layouts {
  /** The same object until the layout of the resource changes. */
  of(resource: string): LayoutState;
  adopt(schema: Schema): void;
}

export function layoutsOf(schema: Schema): Layouts {
  let current = new Map<string, { text: string; state: LayoutState }>();
  const layouts: Layouts = {
    of(resource) {
      const found = current.get(resource);
      if (found === undefined) throw new Error(`Cannot find the layout of ${resource}`);
      return found.state;
    },
    adopt({ layouts, building }) {
      current = new Map(
        Object.entries(layouts).map(([name, layout]) => {
          const text = JSON.stringify([layout, building[name]]);
          const before = current.get(name);
          const isSame = before?.text === text;
          return [
            name,
            isSame ? before : { text, state: stateOf(layoutFrom(layout), building[name]) },
          ];
        }),
      );
    },
  };
  layouts.adopt(schema);
  return layouts;
}

function stateOf(layout: Layout, building: Building | undefined): LayoutState {
  if (building === undefined) {
    return { written: layout, complete: layout, unfinished: [], missing: new Set() };
  }
  const { fields, isCleared } = building;
  const isMissing = (field: string) => fields.includes(field);
  const without = {
    ...layout,
    indexes: layout.indexes.filter(({ field }) => !isMissing(field)),
    texts: layout.texts.filter((field) => !isMissing(field)),
  };
  const areDatesMissing = layout.dates.some(({ field }) => isMissing(field));
  return {
    written: isCleared ? layout : without,
    complete: areDatesMissing ? { ...without, dates: [] } : without,
    unfinished: isCleared ? layout.indexes.filter(({ field }) => isMissing(field)) : [],
    missing: new Set(fields),
  };
}

/**
 * The key of an entry of a record in an unfinished index. The indexes under construction of a
 * resource have all entries of a record or none, so it shows whether they have the record. Null
 * when the record has no value in any of them.
 */
export function entryOfUnfinished(
  { place, unfinished, ord }: { place: Place; unfinished: IndexedField[]; ord: Uint8Array },
  record: AnyRecord,
): KvKey | null {
  for (const { field, valueOf } of unfinished) {
    const value = valueOf(record);
    if (value !== null) return keys.entry({ ...place, field }, value, ord);
  }
  return null;
}
