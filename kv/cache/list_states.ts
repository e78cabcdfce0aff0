import type { Batch } from "../store/batch.ts";
import type { CommitWatch } from "../store/commit.ts";
import { type Place, sidOfRecord } from "../store/keys.ts";
import { lruCache } from "./lru_cache.ts";

/** The states of the lists of a store that this process alone writes to. */
export interface ListStates extends CommitWatch {
  /**
   * The state of a list, all records of one resource in one account: what is read from beginning to
   * end in one state is of one moment. Null while a commit is under way that writes to it.
   */
  of(list: string): object | null;
  /**
   * What `read` finds with nobody writing to a list meanwhile: it reads again while somebody did, and
   * at last holds commits back that write to the list, each for `mostHeldMs` at most.
   */
  steady<R>(list: string, read: () => Promise<R>): Promise<R>;
  /** Notes what is written to a list from now on. */
  following(list: string): Following;
  ended(): void;
}

/** The records of a list that are written while somebody follows it. */
export interface Following extends Disposable {
  /** How many there are to be taken. */
  readonly count: number;
  /**
   * The Sids of those that were written, or may have been, since they were taken last; of a commit that
   * is under way they will be there again.
   */
  taken(): ReadonlySet<string>;
}

/** A read that holds commits back. */
interface Hold {
  list: string;
  end: Promise<void>;
}

/** Lists whose state is known. */
const mostStates = 20_000;

/** How often something is read before commits are held back. */
const mostReadings = 2;

/** How long a commit waits for a read that holds it back. */
const mostHeldMs = 500;

/** Follows the states of lists; all commits pass here. */
export function listStates(): ListStates {
  const states = lruCache<object>(mostStates);
  /** The lists that the commit under way writes to. */
  let written = new Set<string>();
  /** The end of the last commit that asked to begin. */
  let last = Promise.withResolvers<void>();
  last.resolve();
  /** The reads that the next commit waits for which writes to their list. */
  const holding = new Set<Hold>();
  const followers = new Set<{ list: string; sids: Set<string> }>();
  let underWay = nothing;

  function of(list: string): object | null {
    if (written.has(list)) return null;
    const known = states.get(list);
    if (known !== undefined) return known;
    const state = {};
    states.keep(list, state, 1);
    return state;
  }

  async function steady<R>(list: string, read: () => Promise<R>): Promise<R> {
    for (let reading = 1; reading <= mostReadings; reading++) {
      if (written.has(list)) await last.promise;
      const state = of(list);
      const found = await read();
      if (state !== null && states.peek(list) === state) return found;
    }
    const found = last.promise.then(read);
    const hold = { list, end: found.then(() => {}, () => {}) };
    holding.add(hold);
    return await found.finally(() => holding.delete(hold));
  }

  function following(list: string): Following {
    const follower = { list, sids: sidsIn(list, underWay) };
    followers.add(follower);
    return {
      get count() {
        return follower.sids.size;
      },
      taken() {
        const { sids } = follower;
        follower.sids = sidsIn(list, underWay);
        return sids;
      },
      [Symbol.dispose]: () => void followers.delete(follower),
    };
  }

  return {
    of,
    steady,
    following,
    async began({ sets, deletes }) {
      const lists = listsOf(sets.map(({ key }) => key).concat(deletes));
      const holds = [...holding].filter(({ list }) => lists.has(list));
      for (const hold of holds) holding.delete(hold);
      last = Promise.withResolvers();
      if (holds.length > 0) await within(mostHeldMs, Promise.all(holds.map(({ end }) => end)));
      written = lists;
      for (const list of written) states.forget(list);
      underWay = { sets, deletes };
      for (const follower of followers) {
        if (!written.has(follower.list)) continue;
        for (const sid of sidsIn(follower.list, underWay)) follower.sids.add(sid);
      }
    },
    ended() {
      written = new Set();
      underWay = nothing;
      last.resolve();
    },
  };
}

type Writes = Pick<Batch, "sets" | "deletes">;

const nothing: Writes = { sets: [], deletes: [] };

/** The Sids of the records of a list that are written. */
function sidsIn(list: string, { sets, deletes }: Writes): Set<string> {
  const sids = new Set<string>();
  for (const key of sets.map(({ key }) => key).concat(deletes)) {
    const sid = sidOfRecord(key);
    if (sid !== null && listOf(key) === list) sids.add(sid);
  }
  return sids;
}

/** The name of a list. */
export const nameOf = ({ account, prefix }: Place): string => listOf([account, prefix]);

/** The list that a key is of. */
export const listOf = ([account, prefix]: Deno.KvKey): string =>
  `${String(account)} ${String(prefix)}`;

/** The lists that some keys are of; keys of one list mostly follow each other. */
function listsOf(written: Deno.KvKey[]): Set<string> {
  const lists = new Set<string>();
  let last: Deno.KvKey = [];
  for (const key of written) {
    if (key[0] !== last[0] || key[1] !== last[1]) lists.add(listOf(key));
    last = key;
  }
  return lists;
}

/** Waits for something, at most so long. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
