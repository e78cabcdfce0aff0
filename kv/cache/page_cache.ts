import type { Base } from "../../core/base/record.ts";
import type { Query, Slice } from "../../core/model/store.ts";
import type { Place } from "../store/keys.ts";
import { type ListStates, nameOf } from "./list_states.ts";
import { freeze, lruCache } from "./lru_cache.ts";

/** Pages of lists. */
export interface PageCache {
  /**
   * A page as it is known, or as `read` finds it, which is told whether it was asked for before; never
   * without what was committed before it is asked for, or what anybody was told of. One that is kept
   * is frozen.
   */
  page<T extends Base>(
    place: Place,
    query: Query,
    read: (isAgain: boolean) => Promise<Slice<T>>,
  ): Promise<Slice<T>>;
}

type AnySlice = Slice<Base>;

interface Page {
  state: object;
  slice: AnySlice;
}

/** A page on its way from the store. */
interface Reading {
  state: object;
  found: Promise<AnySlice>;
}

/** Names of pages that were asked for, in characters together. */
const mostSeen = 2 << 20;

/**
 * Remembers pages that take up to `bytes` and were asked for before, of a store whose lists have
 * `states`; of any other none. A page counts while its list is in the state in which it was read from
 * beginning to end. While a commit writes to the list pages are read from the store alone; each such
 * read serves all who asked before it began.
 */
export function pageCache(bytes: number, states: ListStates | null): PageCache {
  const pages = lruCache<Page>(bytes);
  const readings = new Map<string, Reading>();
  const seen = lruCache<true>(mostSeen);
  /** Pages of lists that a commit writes to: on their way, and to be asked for after these. */
  const underCommit = {
    now: new Map<string, Promise<AnySlice>>(),
    next: new Map<string, Promise<AnySlice>>(),
  };

  /** Whether a page was asked for before: who asks for everything once leaves nothing but names. */
  function isAgain(name: string): boolean {
    const isSeen = seen.get(name) !== undefined;
    if (!isSeen) seen.keep(name, true, name.length);
    return isSeen;
  }

  /** Reads a page that others may wait for who ask for it in the same state. */
  async function reading(
    [list, name]: [string, string],
    state: object,
    read: (isAgain: boolean) => Promise<AnySlice>,
  ): Promise<AnySlice> {
    const isKept = isAgain(name);
    const one = { state, found: read(isKept) };
    readings.set(name, one);
    try {
      const slice = await one.found;
      if (isKept && states?.of(list) === state) {
        pages.keep(name, { state, slice }, freeze(slice) + name.length);
      }
      return slice;
    } finally {
      if (readings.get(name) === one) readings.delete(name);
    }
  }

  /** Reads a page while a commit is under way; `again` asks for it after the read that is on its way. */
  async function readOnce(
    name: string,
    read: (isAgain: boolean) => Promise<AnySlice>,
    again: () => Promise<AnySlice>,
  ): Promise<AnySlice> {
    const { now, next } = underCommit;
    const before = now.get(name);
    if (before !== undefined) {
      const ask = () => {
        next.delete(name);
        return again();
      };
      const waiting = next.get(name) ?? before.then(ask, ask);
      next.set(name, waiting);
      return await waiting;
    }
    const found = read(isAgain(name));
    now.set(name, found);
    try {
      return await found;
    } finally {
      now.delete(name);
    }
  }

  async function page(
    place: Place,
    query: Query,
    read: (isAgain: boolean) => Promise<AnySlice>,
  ): Promise<AnySlice> {
    const list = nameOf(place);
    const name = `${list} ${textOf(query)}`;
    if (states === null) return await read(isAgain(name));
    const state = states.of(list);
    if (state === null) return await readOnce(name, read, () => page(place, query, read));
    const known = pages.get(name);
    if (known?.state === state) return known.slice;
    const other = readings.get(name);
    return await (other?.state === state ? other.found : reading([list, name], state, read));
  }

  return { page: page as PageCache["page"] };
}

/** A query as a text that no other query has. */
const textOf = (query: Query): string =>
  JSON.stringify(query, (_, value) => typeof value === "number" ? String(value) : value);
