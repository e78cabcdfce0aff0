import {
  type AtomicOperation,
  type KeyValueStore,
  type KvEntryMaybe,
  type KvKey,
  type KvListIterator,
  KvU64,
} from "../store/key_value_store.ts";

/**
 * Opens a store of Deno KV: a file, `:memory:`, the URL of a KV Connect endpoint, or, if the
 * location is empty, that of the platform. This module alone uses `Deno.Kv`, which is not stable
 * yet. If `sum` meets a value that is no counter, Deno KV keeps the writes of the commit before it.
 */
export async function openDenoKv(location: string): Promise<KeyValueStore> {
  return denoKv(location === "" ? await Deno.openKv() : await Deno.openKv(location), location);
}

function denoKv(kv: Deno.Kv, location: string): KeyValueStore {
  const isServer = /^https?:/.test(location);
  const read = <E extends KvEntryMaybe<unknown>>(entry: Deno.KvEntryMaybe<unknown>): E =>
    counted(entry) as E;
  return {
    // A server takes ten, as does the platform's.
    mostChecks: isServer || location === "" ? 10 : 100,
    repeatsCommits: isServer || location === "",
    caution: null,
    get: async (key) => read(await kv.get(key)),
    async getMany(keys) {
      const entries = await kv.getMany(keys as readonly KvKey[]);
      return entries.map(counted) as never; // In the order of the keys.
    },
    list: (selector, options) => listed(kv.list(selector, options)),
    set: (key, value, options) => kv.set(key, denoValue(value), options),
    delete: (key) => kv.delete(key),
    atomic: () => atomicOf(kv),
    watch: (key) => watched(kv.watch([key])),
    close: () => kv.close(),
    [Symbol.dispose]: () => kv[Symbol.dispose](),
  };
}

/**
 * Converts the counters of Deno, which have a class of their own. Entries belong to their reader,
 * so they are changed in place.
 */
function counted(entry: Deno.KvEntryMaybe<unknown>): Deno.KvEntryMaybe<unknown> {
  const { value } = entry;
  if (value instanceof Deno.KvU64) entry.value = new KvU64(value.value);
  return entry;
}

const denoValue = (value: unknown): unknown =>
  value instanceof KvU64 ? new Deno.KvU64(value.value) : value;

function listed<T>(entries: Deno.KvListIterator<unknown>): KvListIterator<T> {
  return {
    async next() {
      const result = await entries.next();
      if (!result.done) counted(result.value);
      return result as IteratorResult<never>;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** A watch of several keys on a server would report those that did not change as absent. */
function watched<T>(states: ReadableStream<[Deno.KvEntryMaybe<unknown>]>): ReadableStream<T> {
  const reader = states.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(counted(value[0]) as T);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

function atomicOf(kv: Deno.Kv): AtomicOperation {
  const op = kv.atomic();
  const self: AtomicOperation = {
    check: (...checks) => (op.check(...checks), self),
    set: (key, value, options) => (op.set(key, denoValue(value), options), self),
    setAtVersion(prefix, value, options) {
      // Its type is none of the key element types.
      const version = kv.commitVersionstamp() as unknown as string;
      op.set([...prefix, version], denoValue(value), options);
      return self;
    },
    delete: (key) => (op.delete(key), self),
    sum: (key, by) => (op.sum(key, by), self),
    min: (key, to) => (op.min(key, to), self),
    max: (key, to) => (op.max(key, to), self),
    commit: () => op.commit(),
  };
  return self;
}
