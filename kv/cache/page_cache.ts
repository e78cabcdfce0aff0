/**
 * Pages of a shared store by the version of their list. Other instances write too, so no cache of a list
 * could be right, and a page was read anew for each request: a tenth of the rate of a read. `watch` tells
 * of changes after them, so a list could show less than its client was told. So every commit sets an entry
 * for each list that it writes to, whose versionstamp is the version of the list; a request reads that
 * entry first. A page that did not change costs one read; one of a list that is written to many times a
 * second is read anew.
 */
import type { Base } from "../../core/base/record.ts";
import type { Query, Slice } from "../../core/model/store.ts";
import { keys, type Place } from "../store/keys.ts";
import type { Read } from "../store/reader.ts";
import { nameOf } from "./list_states.ts";
import { lruCache } from "./lru_cache.ts";
import { freeze } from "./record_cache.ts";

/**
 * Pages of the lists of a store that other processes write to as well. Each commit sets the version of
 * the lists that it writes to, so a page is good while the versionstamp of that entry is the same.
 */
export interface PageCache {
  /**
   * A page from the cache, if its list has not changed; one read finds that out. Else the page that
   * `make` reads. `isSteady` returns to `make` whether the list has stayed the same since it began.
   */
  page<T extends Base>(
    place: Place,
    query: Query,
    make: (isSteady: IsSteady) => Promise<Slice<T>>,
  ): Promise<Slice<T>>;
}

export type IsSteady = () => Promise<boolean>;

interface Kept {
  version: string;
  slice: Slice<Base>;
}

/** Estimated bytes of a record and of a page in the cache. */
const recordBytes = 1_500;
const pageBytes = 500;

/** A cache of pages of about `most` bytes. `read` reads an entry as it is now. */
export function pageCache(read: Read, most: number): PageCache {
  const pages = lruCache<Kept>(most);
  return {
    async page<T extends Base>(
      place: Place,
      query: Query,
      make: (isSteady: IsSteady) => Promise<Slice<T>>,
    ) {
      const key = keys.listVersion(place);
      const versionNow = async () => (await read(key)).versionstamp ?? "";
      const name = `${nameOf(place)} ${JSON.stringify(query, withInfinity)}`;
      const version = await versionNow();
      const known = pages.get(name);
      if (known?.version === version) return known.slice as Slice<T>; // Of the same place and query.
      const isSteady = async () => await versionNow() === version;
      const slice = await make(isSteady);
      if (await isSteady()) {
        slice.items.forEach(freeze);
        pages.keep(name, { version, slice }, pageBytes + slice.items.length * recordBytes);
      }
      return slice;
    },
  };
}

/** Spans of time may be without end, which JSON does not have. */
const withInfinity = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
