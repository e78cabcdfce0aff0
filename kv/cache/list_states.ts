/**
 * States of lists on an embedded file: which lists a commit writes to, so that a page that is read in
 * several parts is of one moment.
 *
 * A list is never ahead of a GET. A list reads the store, and a GET reads memory, which follows a commit a
 * moment later; in between, a client could see a change in a list and then GET the record without it. So
 * the list waits for the end of a commit under way that writes to it (`followed`), and so does `group()`.
 * GETs that wait were refused, since the handlers of a call's events read in the same way; so was a list
 * that teaches memory, which has no entry of a deleted record. The first page of 1,000 calls beside 2,000
 * writes a second takes 3.2 to 3.9 ms in place of 2.9 to 3.9.
 */
import type { Batch } from "../store/batch.ts";
import type { CommitWatch } from "../store/commit.ts";
import { isOfRecord, type Place, sidOfRecord } from "../store/keys.ts";
import { type LruCache, lruCache } from "./lru_cache.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** The states of the lists of a store that only this process writes to. */
export interface ListStates extends CommitWatch {
  /**
   * The state of a list: all records of one resource in one account. While the state is the same
   * object, the list has not changed. Null while a commit under way writes to the list.
   */
  of(list: string): object | null;
  /**
   * A consistent read: the result of a `read` during which no commit wrote to the list. It repeats
   * a read during which one did. At last it delays commits to the list, each for `mostHeldMs` at
   * most.
   */
  consistentRead<R>(list: string, read: () => Promise<R>): Promise<R>;
  /**
   * Resolves when the caches have all that a reader of the store may have seen of a list by now.
   * That is at the end of the commit under way, if it writes to the list.
   */
  followed(list: string): Promise<void>;
  /** Collects the Sids of a list that are written from now on. */
  following(list: string): Following;
  ended(): void;
}

/** The records of a list that are written while it is followed. */
export interface Following extends Disposable {
  /** The number of Sids that `taken` would return. */
  readonly count: number;
  /**
   * Returns and clears the Sids that were written, or may have been. Those of a commit that is
   * under way stay for the next call.
   */
  taken(): ReadonlySet<string>;
}

/** A read that delays the commits to its list. */
interface Hold {
  list: string;
  end: Promise<void>;
}

/** Most lists with a state in memory. */
const mostStates = 20_000;

/** Reads before commits are delayed. */
const mostReadings = 2;

/** The longest delay of a commit by a read. */
const mostHeldMs = 500;

type Writes = Pick<Batch, "sets" | "deletes">;

interface State {
  states: LruCache<object>;
  /** The lists that the commit under way writes to. */
  written: Set<string>;
  /** The end of the last commit that began. */
  lastCommit: PromiseWithResolvers<void>;
  /** Reads that delay the next commit to their list. */
  holds: Set<Hold>;
  followers: Set<Follower>;
  /** The writes of the commit under way. */
  live: Writes;
}

interface Follower {
  list: string;
  sids: Set<string>;
}

/** Follows the states of lists. All commits of the store must be reported here. */
export function listStates(): ListStates {
  const state: State = {
    states: lruCache(mostStates),
    written: new Set(),
    lastCommit: Promise.withResolvers(),
    holds: new Set(),
    followers: new Set(),
    live: nothing,
  };
  state.lastCommit.resolve();
  return {
    of: (list) => stateOf(state, list),
    consistentRead: (list, read) => consistentRead(state, list, read),
    followed: async (list) => {
      if (state.written.has(list)) await state.lastCommit.promise;
    },
    following: (list) => following(state, list),
    began: (writes) => began(state, writes),
    ended() {
      state.written = new Set();
      state.live = nothing;
      state.lastCommit.resolve();
    },
  };
}

function stateOf({ states, written }: State, list: string): object | null {
  if (written.has(list)) return null;
  const known = states.get(list);
  if (known !== undefined) return known;
  const state = {};
  states.keep(list, state, 1);
  return state;
}

async function consistentRead<R>(
  state: State,
  list: string,
  read: () => Promise<R>,
): Promise<R> {
  for (let reading = 1; reading <= mostReadings; reading++) {
    if (state.written.has(list)) await state.lastCommit.promise;
    const before = stateOf(state, list);
    const found = await read();
    if (before !== null && state.states.peek(list) === before) return found;
  }
  const found = state.lastCommit.promise.then(read);
  const hold = { list, end: found.then(() => {}, () => {}) };
  state.holds.add(hold);
  return await found.finally(() => state.holds.delete(hold));
}

function following(state: State, list: string): Following {
  const follower: Follower = { list, sids: sidsIn(list, state.live) };
  state.followers.add(follower);
  return {
    get count() {
      return follower.sids.size;
    },
    taken() {
      const { sids } = follower;
      follower.sids = sidsIn(list, state.live);
      return sids;
    },
    [Symbol.dispose]: () => void state.followers.delete(follower),
  };
}

async function began(state: State, { sets, deletes }: Writes): Promise<void> {
  const { states, holds, followers } = state;
  const lists = listsOf(sets.map(({ key }) => key).concat(deletes));
  const delaying = [...holds].filter(({ list }) => lists.has(list));
  for (const hold of delaying) holds.delete(hold);
  state.lastCommit = Promise.withResolvers();
  if (delaying.length > 0) await within(mostHeldMs, Promise.all(delaying.map(({ end }) => end)));
  state.written = lists;
  for (const list of lists) states.forget(list);
  state.live = { sets, deletes };
  for (const follower of followers) {
    if (!lists.has(follower.list)) continue;
    for (const sid of sidsIn(follower.list, state.live)) follower.sids.add(sid);
  }
}

const nothing: Writes = { sets: [], deletes: [] };

/** The Sids of the records of a list that are written. */
function sidsIn(list: string, { sets, deletes }: Writes): Set<string> {
  const sids = new Set<string>();
  for (const key of sets.map(({ key }) => key).concat(deletes)) {
    if (isOfRecord(key) && listOf(key) === list) sids.add(sidOfRecord(key));
  }
  return sids;
}

/** The name of a list. */
export const nameOf = ({ account, prefix }: Place): string => listOf([account, prefix]);

/** The name of the list that a key belongs to. */
export const listOf = ([account, prefix]: KvKey): string => `${String(account)} ${String(prefix)}`;

/** The lists that keys belong to; keys of one list mostly follow each other. */
function listsOf(written: KvKey[]): Set<string> {
  const lists = new Set<string>();
  let last: KvKey = [];
  for (const key of written) {
    if (key[0] !== last[0] || key[1] !== last[1]) lists.add(listOf(key));
    last = key;
  }
  return lists;
}

/** Waits for a promise, at most `ms`. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
