/** Commits whose outcome is held back: the store has them, and who made them does not know it yet. */
export interface HeldCommits extends Disposable {
  /** Resolves when one is made. */
  readonly made: Promise<void>;
  /** Tells the outcome of those that are made. */
  release(): void;
}

/** Holds the outcome of every commit of this process back until it is released or disposed. */
export function holdCommits(): HeldCommits {
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
    release: released.resolve,
    [Symbol.dispose]() {
      tx.commit = commit;
      released.resolve();
    },
  };
}
