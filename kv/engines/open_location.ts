import type { KeyValueStore } from "../store/key_value_store.ts";
import { openDenoKv } from "./deno_kv.ts";
import { openPostgres } from "./postgres.ts";
import { isDatabaseUrl } from "./postgres_url.ts";

/**
 * Returns whether other processes use a store too. True for PostgreSQL, for a URL of KV Connect and
 * for the empty location, the store of an edge platform; false for a file or `:memory:`.
 */
export const isRemoteLocation = (location: string): boolean =>
  isDatabaseUrl(location) || /^(https?:|$)/.test(location);

/** Opens the store at a location. */
export const openLocation = (location: string): Promise<KeyValueStore> =>
  isDatabaseUrl(location) ? openPostgres(location) : openDenoKv(location);
