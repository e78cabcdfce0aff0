import type { IsSteady } from "../cache/page_cache.ts";
import { keyText } from "../store/batch.ts";
import type { KeyValueStore, KvEntryMaybe, KvListIterator } from "../store/key_value_store.ts";

/** The most readings while other processes write; after them the last one counts. */
const mostReadings = 8;

/** The most entries that all readings but the first read. */
const mostEntries = 20_000;

/**
 * A consistent read of a store that other processes write to as well. It reads until `isSteady`
 * says that nothing has changed since, or until two readings in a row met the same entries.
 * Versionstamps are unique, so no entry changed between both readings. After `mostReadings`, or
 * when a further reading would pass `mostEntries` in all, the last reading counts. Its entries may
 * then be of different moments.
 */
export async function consistentRead<R>(
  kv: KeyValueStore,
  read: (kv: KeyValueStore) => Promise<R>,
  isSteady: IsSteady = () => Promise.resolve(false),
): Promise<R> {
  let before = new Set<string>();
  for (let [reading, entries] = [1, 0];; reading++) {
    const met = new Set<string>();
    const found = await read(noting(kv, met));
    if (reading === 1 && await isSteady()) return found;
    const isSame = reading > 1 && met.size === before.size && met.isSubsetOf(before);
    entries += met.size;
    if (isSame || reading === mostReadings || entries + met.size > mostEntries) return found;
    before = met;
  }
}

/**
 * A store whose reads add their entries with versionstamps to `met`, up to a bound.
 */
function noting(kv: KeyValueStore, met: Set<string>): KeyValueStore {
  const note = <E extends KvEntryMaybe<unknown>>(entry: E): E => {
    if (met.size <= mostEntries / 2) met.add(`${keyText(entry.key)} ${entry.versionstamp}`);
    return entry;
  };
  async function* noted<T>(entries: KvListIterator<T>) {
    for await (const entry of entries) yield note(entry);
  }
  return {
    ...kv,
    get: async (key) => note(await kv.get(key)),
    async getMany(keys) {
      const entries = await kv.getMany(keys);
      entries.forEach(note);
      return entries;
    },
    list: (selector, options) => noted(kv.list(selector, options)) as never,
  };
}
