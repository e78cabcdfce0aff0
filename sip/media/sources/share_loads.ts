import { overReason, unlessAborted } from "../../../core/base/abort.ts";

/** Loader of a value by its name, until the signal aborts. */
type Load<T> = (name: string, signal: AbortSignal) => Promise<T>;

/** A load under way, and how many wait for it. */
interface Shared<T> {
  promise: Promise<T>;
  waiting: number;
  stop: AbortController;
}

export interface SharedLoads<T> {
  /**
   * The value of a load shared by all calls with the name; undefined as soon as the signal aborts. The
   * load itself is aborted when no call waits for it. `isOwn`: this call started the load.
   */
  wait(name: string, signal: AbortSignal): Promise<{ value: T; isOwn: boolean } | undefined>;
}

/** Concurrent calls for one name share a load and its result or error. Results are not cached. */
export function shareLoads<T>(load: Load<T>): SharedLoads<T> {
  const underWay = new Map<string, Shared<T>>();

  const forget = (name: string, shared: Shared<T>) => {
    if (underWay.get(name) !== shared) return false;
    return underWay.delete(name);
  };
  const begin = (name: string): Shared<T> => {
    const stop = new AbortController();
    const promise = load(name, stop.signal).finally(() => forget(name, shared));
    const shared: Shared<T> = { promise, waiting: 0, stop };
    underWay.set(name, shared);
    return shared;
  };

  return {
    async wait(name, signal) {
      if (signal.aborted) return undefined;
      const known = underWay.get(name);
      const shared = known ?? begin(name);
      shared.waiting++;
      try {
        const value = await unlessAborted(shared.promise, signal);
        return value === undefined ? undefined : { value, isOwn: known === undefined };
      } finally {
        shared.waiting--;
        // A leg that comes after the last one left must not wait for a load that is being aborted.
        if (shared.waiting === 0 && forget(name, shared)) shared.stop.abort(overReason);
      }
    },
  };
}
