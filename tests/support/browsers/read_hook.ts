/** Embedded stores that are opened while this lasts. */
export interface ReadHook extends Disposable {
  /** Runs before each of their reads, also before each further batch of a list. */
  beforeRead: () => Promise<void>;
}

/** Puts something before the reads of the stores that are opened from now on. */
export function hookReads(): ReadHook {
  const before = Object.getOwnPropertyDescriptor(Deno, "openKv")!;
  const open = Deno.openKv;
  const openHooked = async (location?: string) => {
    const kv = await open(location);
    return new Proxy(kv, {
      get(_, name) {
        if (name === "list") return hookedList;
        const member = Reflect.get(kv, name);
        if (typeof member !== "function") return member;
        const isRead = name === "get" || name === "getMany";
        if (!isRead) return member.bind(kv);
        return async (...args: unknown[]) => {
          await self.beforeRead();
          return await member.apply(kv, args);
        };
      },
    });

    async function* hookedList(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
      const entries = kv.list(selector, options);
      const atOnce = Math.min(options?.batchSize ?? 100, options?.limit ?? Infinity);
      for (let at = 0;; at++) {
        if (at % atOnce === 0) await self.beforeRead();
        const { done, value } = await entries.next();
        if (done) return;
        yield value;
      }
    }
  };
  Object.defineProperty(Deno, "openKv", { configurable: true, value: openHooked });
  const self: ReadHook = {
    beforeRead: async () => {},
    [Symbol.dispose]: () => void Object.defineProperty(Deno, "openKv", before),
  };
  return self;
}
