import { Fault } from "../../core/base/faults.ts";
import { noWire, type PromptWire } from "./prompt_wire.ts";
import { committing, type StoreHealth } from "./store_health.ts";

/**
 * The client of a remote store retries for ever while the store is out of reach. Here every request
 * fails after `ms` with the Fault `unavailable`. Watching and closing are not requests. The wire is
 * told of each request, and `health` follows it. Within `patiently` the read of an entry waits for the
 * store as a commit does.
 */
export function withDeadline(
  kv: Deno.Kv,
  ms: number,
  { wire = noWire, health }: { wire?: PromptWire; health?: Pick<StoreHealth, "follow" | "well"> } =
    {},
): Deno.Kv {
  /** The same object, with a time limit on the calls that go to the store. */
  function bound<T extends object>(target: T): T {
    const wrapped = new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          const send = () => member.apply(target, args);
          if (name === "get" && health !== undefined) {
            return committing(health, () => {
              const read = health.follow(inTime(send() as Promise<unknown>, ms));
              wire.during(read);
              return read;
            });
          }
          const result = name === "commit" ? wire.beforeCommit().then(send) : send();
          if (result instanceof Promise && name !== "listenQueue") {
            const inMs = inTime(result, ms);
            const bounded = health === undefined ? inMs : health.follow(inMs);
            wire.during(bounded);
            return bounded;
          }
          if (result === target) return wrapped; // A chain: check().set().commit()
          return name === "list" || name === "atomic" || name === Symbol.asyncIterator
            ? bound(result)
            : result;
        };
      },
    });
    return wrapped;
  }
  return bound(kv);
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
