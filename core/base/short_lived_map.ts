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
