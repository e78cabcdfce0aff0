import type { StoreFailure } from "../../../core/base/store_failure.ts";
import type { App } from "./app.ts";

/** Writes of all stores of this process, which fail as the test says, as those of Deno KV do. */
export interface FailingWrites extends Disposable {
  /** The text of the error; null: they succeed. */
  error: string | null;
  /** Returns whether the write of a value fails; undefined stands for a commit. */
  fails: (value: unknown) => boolean;
  /** Number of failed commits. */
  refused: number;
}

/** Has writes fail until the result is disposed. */
export function failingWrites(error: string | null = null): FailingWrites {
  const [kv, tx] = [Deno.Kv.prototype, Deno.AtomicOperation.prototype];
  const [{ set, delete: remove }, { commit }] = [kv, tx];
  const refuse = (value?: unknown) => {
    if (failing.error === null || !failing.fails(value)) return;
    failing.refused++;
    throw new TypeError(failing.error);
  };
  kv.set = async function (key, value, options) {
    refuse(value);
    return await set.call(this, key, value, options);
  };
  kv.delete = async function (key) {
    refuse();
    await remove.call(this, key);
  };
  tx.commit = async function () {
    refuse();
    return await commit.call(this);
  };
  const failing: FailingWrites = {
    error,
    fails: () => true,
    refused: 0,
    [Symbol.dispose]() {
      Object.assign(kv, { set, delete: remove });
      tx.commit = commit;
    },
  };
  return failing;
}

/** Resolves once the store of an app cannot write (true), or can again. */
export async function untilUnwritable({ ports: { store } }: App, wanted: boolean): Promise<void> {
  const is = (failure: StoreFailure | null) => (failure !== null) === wanted;
  if (is(store.failure())) return;
  await new Promise<void>((resolve) => store.onChange((failure) => is(failure) && resolve()));
}
