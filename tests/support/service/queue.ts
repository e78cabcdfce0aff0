/** A queue of items, in order, for readers before or after their arrival. */
export function queue<T>(): { put(item: T): void; take(): Promise<T> } {
  const items: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  return {
    put(item) {
      const next = waiting.shift();
      if (next === undefined) items.push(item);
      else next(item);
    },
    take() {
      if (items.length > 0) return Promise.resolve(items.shift() as T);
      const { promise, resolve } = Promise.withResolvers<T>();
      waiting.push(resolve);
      return promise;
    },
  };
}
