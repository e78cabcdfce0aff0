/** The writes of a store whose callers may not wait for them. */
export interface Unwaited {
  /** Follows a write, and returns it. */
  add<T>(write: Promise<T>): Promise<T>;
  /** Resolves when all writes are over. `flush` begins the commit of those that wait for another one. */
  settle(flush: () => void): Promise<void>;
}

/** Follows writes, so that a service that stops can wait for them. */
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
