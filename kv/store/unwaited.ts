/** The writes of a store that nobody waits for. */
export interface Unwaited {
  /** Returns the write; it may reject where somebody looks at it. */
  add<T>(write: Promise<T>): Promise<T>;
  /** Resolves when all writes are over. `flush` has those begin that wait for others. */
  settle(flush: () => void): Promise<void>;
}

export function unwaited(): Unwaited {
  const writes = new Set<Promise<unknown>>();
  return {
    add(write) {
      writes.add(write);
      const remove = () => void writes.delete(write);
      write.then(remove, remove);
      return write;
    },
    async settle(flush) {
      while (writes.size > 0) {
        flush();
        await Promise.allSettled(writes);
      }
    },
  };
}
