import { limits } from "../../core/base/limits.ts";
import { withDeadline } from "./deadline.ts";
import { openDenoKv } from "./deno_kv.ts";
import { keys } from "./keys.ts";
import type { KeyValueStore } from "./key_value_store.ts";

/**
 * Whether other processes use a store too: one at a URL of KV Connect, and the one that an edge
 * platform gives, whose location is empty; not a file or `:memory:`.
 */
export const isRemoteLocation = (location: string): boolean => /^(https?:|$)/.test(location);

/** Opens what is at a location. */
export const openLocation = (location: string): Promise<KeyValueStore> => openDenoKv(location);

/** A store by its location, which says whether it exists before it is opened. */
export function sealedStore(location: string): { name: string; exists(): Promise<boolean> } {
  return {
    name: location,
    exists: () =>
      isRemoteLocation(location)
        ? hasSchema(location)
        : Deno.stat(location).then(() => true, () => false),
  };
}

/** Whether a store was opened at a KV Connect endpoint. Throws when it is out of reach. */
async function hasSchema(url: string): Promise<boolean> {
  using kv = await openLocation(url);
  return (await withDeadline(kv, limits.storeTimeoutMs).get(keys.version)).versionstamp !== null;
}
