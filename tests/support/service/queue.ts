/** Things in the order they came, for those who ask before or after. */
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
