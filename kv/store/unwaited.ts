import { createShortLivedSet } from "../../core/base/short_lived_map.ts";

/** The writes of a store whose callers may not wait for them. */
export interface Unwaited {
  /** Follows a write, and returns it. */
  add<T>(write: Promise<T>): Promise<T>;
  /** Resolves when all writes are over. `flush` begins the commit of those that wait for another one. */
  settle(flush: () => void): Promise<void>;
}

/** Follows writes, so that a service that stops can wait for them. */
export function unwaited(): Unwaited {
  const writes = createShortLivedSet<Promise<unknown>>();
  return {
    add(write) {
      const remove = writes.add(write);
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
