import type { KeyValueStore } from "../store/key_value_store.ts";
import { openDenoKv } from "./deno_kv.ts";
import { openPostgres } from "./postgres.ts";
import { isDatabaseUrl } from "./postgres_url.ts";

/**
 * Whether other processes use a store too: one of PostgreSQL, one at a URL of KV Connect, and the one
 * that an edge platform gives, whose location is empty; not a file or `:memory:`.
 */
export const isRemoteLocation = (location: string): boolean =>
  isDatabaseUrl(location) || /^(https?:|$)/.test(location);

/** Opens what is at a location. */
export const openLocation = (location: string): Promise<KeyValueStore> =>
  isDatabaseUrl(location) ? openPostgres(location) : openDenoKv(location);
