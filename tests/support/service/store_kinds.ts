import type { KeyValueStore } from "../../../kv/store/key_value_store.ts";
import { openLocation } from "../../../kv/engines/open_location.ts";
import { startDenokv } from "./denokv.ts";
import { isPostgresWanted, type Postgres, startPostgres } from "./postgres.ts";
import { startKvConnect } from "./kv_connect.ts";

/** A store that a test opens, and what it can do to it. */
export interface StoreOfTest extends AsyncDisposable {
  /** Opens a handle of its own; the same one if only one is possible. */
  open(): Promise<KeyValueStore>;
  /** Breaks every connection to it, if there are any; resolves when it answers again. */
  breakConnections?(): Promise<void>;
  /** True when it retains its entries after all handles are closed. */
  isKept: boolean;
}

/** The cluster that the tests of a file share. */
let sharedServer: Promise<Postgres> | undefined;

/** Ends it; to be called after the tests of a file. */
export async function endSharedServer(): Promise<void> {
  await (await sharedServer)?.[Symbol.asyncDispose]();
}

/** The kinds of stores, each with an empty one. */
export const storeKinds: Record<string, () => Promise<StoreOfTest>> = {
  memory: () => ofOneHandle(":memory:"),
  async file() {
    const directory = await Deno.makeTempDir();
    return await ofOneHandle(`${directory}/store.db`, directory);
  },
  // deno-lint-ignore require-await -- As the others do.
  async "KV Connect"() {
    const endpoint = startKvConnect();
    return {
      isKept: true,
      open: () => openLocation(endpoint.url),
      [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
    };
  },
  ...isPostgresWanted() && {
    PostgreSQL: () => ofDatabase(""),
    "PostgreSQL behind a pooler": () => ofDatabase("?pgbouncer=true"),
  },
  // The gate does not install it.
  ...Deno.env.has("DENOKV") && {
    async denokv() {
      const directory = await Deno.makeTempDir();
      const server = await startDenokv(directory);
      return {
        isKept: true,
        open: () => openLocation(server.url),
        breakConnections: server.kill,
        async [Symbol.asyncDispose]() {
          await server[Symbol.asyncDispose]();
          await Deno.remove(directory, { recursive: true });
        },
      };
    },
  },
};

/** A store in a database of its own; `options` end its URL. */
async function ofDatabase(options: string): Promise<StoreOfTest> {
  const server = await (sharedServer ??= startPostgres());
  const url = await server.database() + options;
  return {
    isKept: true,
    open: () => openLocation(url),
    breakConnections: server.crash,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** A store of which a process has one handle. */
async function ofOneHandle(location: string, directory?: string): Promise<StoreOfTest> {
  let kv = await openLocation(location);
  let handles = 0;
  return {
    isKept: directory !== undefined,
    async open() {
      if (handles++ === 0 && directory !== undefined) {
        kv.close();
        kv = await openLocation(location);
      }
      const close = () => {
        if (--handles === 0 && directory === undefined) return;
      };
      return { ...kv, close, [Symbol.dispose]: close };
    },
    async [Symbol.asyncDispose]() {
      kv.close();
      if (directory !== undefined) await Deno.remove(directory, { recursive: true });
    },
  };
}
