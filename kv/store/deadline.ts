import { Fault } from "../../core/base/faults.ts";
import { noWire, type PromptWire } from "./prompt_wire.ts";
import { committing, type StoreHealth } from "./store_health.ts";
import type { KeyValueStore } from "./key_value_store.ts";

/**
 * The client of a remote store retries for ever while the store is out of reach. Here every request
 * fails after `ms` with the Fault `unavailable`. Watching and closing are not requests. Each
 * request is reported to the wire and to `health`. Within `patiently` the read of an entry waits
 * for the store as a commit does.
 */
export function withDeadline(
  kv: KeyValueStore,
  ms: number,
  { wire = noWire, health }: { wire?: PromptWire; health?: Pick<StoreHealth, "follow" | "well"> } =
    {},
): KeyValueStore {
  function bounded<T>(request: Promise<T>): Promise<T> {
    const inMs = inTime(request, ms);
    const followed = health === undefined ? inMs : health.follow(inMs);
    wire.during(followed);
    return followed;
  }
  return {
    ...kv,
    get: (key) =>
      health === undefined
        ? bounded(kv.get(key))
        : committing(health, () => bounded(kv.get(key))) as never,
    getMany: (keys) => bounded(kv.getMany(keys)),
    set: (key, value, options) => bounded(kv.set(key, value, options)),
    delete: (key) => bounded(kv.delete(key)),
    list(selector, options) {
      const entries = kv.list<never>(selector, options);
      return {
        next: () => bounded(entries.next()),
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    atomic() {
      const op = kv.atomic();
      const { commit } = op;
      return Object.assign(op, { commit: () => bounded(wire.beforeCommit().then(commit)) });
    },
  };
}

async function inTime<T>(request: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Fault("unavailable", "the store does not respond")), ms);
  });
  try {
    return await Promise.race([request, late]);
  } finally {
    clearTimeout(timer);
  }
}
