/** What was worked out lately; the latest so many are there for sure, and at most twice as many. */
export interface Recent<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export function createRecent<V>(most: number): Recent<V> {
  let latest = new Map<string, V>();
  let before = latest;
  return {
    get: (key) => latest.get(key) ?? before.get(key),
    set(key, value) {
      if (latest.size >= most) {
        before = latest;
        latest = new Map();
      }
      latest.set(key, value);
    },
  };
}
