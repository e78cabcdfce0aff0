import type { App } from "./app.ts";

/** Commits whose outcome is held back: the store has made them, and their callers still wait. */
export interface HeldCommits extends Disposable {
  /** Resolves when one is made. */
  readonly made: Promise<void>;
  /**
   * Releases the outcomes of made commits, once a list that was requested before has had the time
   * to be read.
   */
  release(): Promise<void>;
}

/** Reads of the store, one after the other, that take longer than a list of a few records. */
const manyReads = 30;

/** Holds the outcome of every commit of this process back until it is released or disposed. */
export function holdCommits({ ports: { records } }: App): HeldCommits {
  const tx = Deno.AtomicOperation.prototype;
  const { commit } = tx;
  const [made, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  tx.commit = async function () {
    const result = await commit.call(this);
    made.resolve();
    await released.promise;
    return result;
  };
  return {
    made: made.promise,
    async release() {
      // A group is always read from the store.
      for (let n = 0; n < manyReads; n++) await records.gateways.group("registering", "yes");
      released.resolve();
    },
    [Symbol.dispose]() {
      tx.commit = commit;
      released.resolve();
    },
  };
}
