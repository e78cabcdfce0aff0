import { DatabaseSync } from "node:sqlite";

/** The statement by which Deno creates its index of expired keys. */
const ofAllKeys = /^create index kv_expiration_ms_idx on kv \(expiration_ms\)$/i;

/**
 * Narrows the expiry index of a Deno KV file to keys that expire. Deno looks up no others in it,
 * but its index holds a second copy of every key, which each write pays for. An index that another
 * release of Deno creates by another statement stays unchanged. Open connections notice the change.
 * Throws when another process writes to the file for `busyMs`.
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
