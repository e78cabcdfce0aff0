/** Operations of Deno KV since a count began. */
export interface StoreCounts {
  commits: number;
  /** Requests that read; a `getMany` is one, and so is each batch of a list's entries. */
  reads: number;
}

const methods = ["get", "getMany", "list"] as const;

/** Counts what every store of this process does until it is disposed. */
export function countStore(): StoreCounts & Disposable {
  const kv = Deno.Kv.prototype;
  const tx = Deno.AtomicOperation.prototype;
  const { commit } = tx;
  const reads = methods.map((name) => [name, kv[name]] as const);
  const counts = {
    commits: 0,
    reads: 0,
    [Symbol.dispose]() {
      tx.commit = commit;
      for (const [name, read] of reads) Object.assign(kv, { [name]: read });
    },
  };
  tx.commit = function () {
    counts.commits++;
    return commit.call(this);
  };
  for (const [name, read] of reads) {
    const counted = function (this: Deno.Kv, ...args: unknown[]) {
      counts.reads++;
      return Reflect.apply(read, this, args);
    };
    Object.assign(kv, { [name]: counted });
  }
  return counts;
}
