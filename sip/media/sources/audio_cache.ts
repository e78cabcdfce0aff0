import type { Pcm } from "../base/port.ts";

export interface AudioCache<T extends { pcm: Pcm }> {
  get(key: string): T | undefined;
  set(key: string, entry: T): void;
  remove(key: string): void;
}

/** Keeps up to `maxBytes` of samples; the least recently used go first, as a map keeps its order. */
export function audioCache<T extends { pcm: Pcm }>(maxBytes: number): AudioCache<T> {
  const entries = new Map<string, T>();
  let bytes = 0;
  const remove = (key: string) => {
    bytes -= entries.get(key)?.pcm.byteLength ?? 0;
    entries.delete(key);
  };
  return {
    remove,
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    set(key, entry) {
      remove(key);
      if (entry.pcm.byteLength > maxBytes) return;
      entries.set(key, entry);
      bytes += entry.pcm.byteLength;
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
