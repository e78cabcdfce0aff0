import { setImmediate } from "node:timers";
import type { Decoded, Named } from "./batch.ts";
import type { KeyValueStore, KvEntryMaybe, KvKey } from "./key_value_store.ts";

/** Reads one entry. */
export type Read = <T>(key: KvKey) => Promise<KvEntryMaybe<T> & Named & Decoded>;

interface Waiting {
  key: KvKey;
  resolve(entry: KvEntryMaybe<never>): void;
  reject(error: unknown): void;
}

/** The most keys of one `getMany`. */
const keysAtOnce = 10;

/**
 * Reads of a store. The reads of one turn of the event loop share one `getMany`. To pass a read to
 * the store's thread, or to a remote store, and back costs more than the read itself.
 */
export function mergedReader(kv: Pick<KeyValueStore, "getMany">): Read {
  const queue: Waiting[] = [];

  async function readGroup(group: Waiting[]): Promise<void> {
    try {
      const entries = await kv.getMany<never[]>(group.map(({ key }) => key));
      group.forEach(({ resolve }, at) => resolve(entries[at]!)); // One entry for each key.
    } catch (error) {
      group.forEach(({ reject }) => reject(error));
    }
  }

  function flush(): void {
    while (queue.length > 0) void readGroup(queue.splice(0, keysAtOnce));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      queue.push({ key, resolve, reject });
      if (queue.length === 1) setImmediate(flush);
    });
}
