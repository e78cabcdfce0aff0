import { DatabaseSync } from "node:sqlite";

/** How Deno makes the index by which it finds keys that have expired. */
const ofAllKeys = /^create index kv_expiration_ms_idx on kv \(expiration_ms\)$/i;

/**
 * Narrows the index by expiry of a Deno KV file to keys that expire. Deno looks up no others in it, but
 * files every key there: a second copy of all keys, which every write pays for. An index that another
 * release of Deno made otherwise is left as it is. Connections that are open take notice by themselves.
 * Throws when somebody else writes to the file for `busyMs`.
 */
export function narrowExpiryIndex(location: string, busyMs = 5_000): void {
  using file = new DatabaseSync(location, { timeout: busyMs });
  const index = file.prepare("select sql from sqlite_master where name = 'kv_expiration_ms_idx'");
  if (!ofAllKeys.test(String(index.get()?.sql))) return;
  try {
    file.exec(`
      begin immediate;
      drop index kv_expiration_ms_idx;
      create index kv_expiration_ms_idx on kv (expiration_ms) where expiration_ms >= 0;
      commit;
    `);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new Error(`Cannot narrow the index by expiry of ${location}: ${why}`, { cause });
  }
}
