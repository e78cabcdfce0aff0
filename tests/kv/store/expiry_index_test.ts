import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { narrowExpiryIndex } from "../../../kv/store/expiry_index.ts";
import { openStore } from "../../../kv/open_store.ts";
import { storeFile } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const indexSql = "select sql from sqlite_master where name = 'kv_expiration_ms_idx'";

/** The two statements in which Deno looks keys up by when they expire. */
const lookups = [
  "delete from kv where expiration_ms >= 0 and expiration_ms <= 1 returning k",
  "select expiration_ms from kv where expiration_ms >= 0 order by expiration_ms limit 1",
];

Deno.test("narrowExpiryIndex() leaves keys that expire in the index, for open handles too", async () => {
  await using file = await storeFile();
  const kv = await openDenoKv(file.location);
  const write = async (name: string) => {
    for (let at = 0; at < 100; at++) {
      await kv.set([name, at], at, at % 10 === 0 ? { expireIn: 3_600_000 } : {});
    }
  };
  await write("before");
  narrowExpiryIndex(file.location);
  await write("after");
  await kv.set(["before", 1], "never expired, and does now", { expireIn: 3_600_000 });
  await kv.set(["after", 0], "expired, and does no longer");

  using database = new DatabaseSync(file.location);
  const expiring = database.prepare(
    "select count(*) as keys from kv indexed by kv_expiration_ms_idx where expiration_ms >= 0",
  );
  assert.equal(expiring.get()!.keys, 20);
  // Also fails for a row that is missing from an index or has no place in it.
  assert.equal(database.prepare("pragma integrity_check").get()!.integrity_check, "ok");
  for (const lookup of lookups) {
    const [plan] = database.prepare(`explain query plan ${lookup}`).all();
    assert.match(String(plan!.detail), /INDEX kv_expiration_ms_idx/);
  }
  const narrowed = database.prepare(indexSql).get();
  narrowExpiryIndex(file.location);
  assert.deepEqual(database.prepare(indexSql).get(), narrowed);
  kv.close();
});

Deno.test("narrowExpiryIndex() leaves an index alone that is made otherwise", async () => {
  await using file = await storeFile();
  (await openDenoKv(file.location)).close();
  using database = new DatabaseSync(file.location);
  const other = "CREATE INDEX kv_expiration_ms_idx on kv (expiration_ms, version)";
  database.exec(`drop index kv_expiration_ms_idx; ${other}`);

  narrowExpiryIndex(file.location);

  assert.equal(database.prepare(indexSql).get()!.sql, other);
});

Deno.test("narrowExpiryIndex() reports another writer of the file, and leaves it as it is", async () => {
  await using file = await storeFile();
  (await openDenoKv(file.location)).close();
  using other = new DatabaseSync(file.location);
  const before = other.prepare(indexSql).get();
  other.exec("begin immediate");

  assert.throws(
    () => narrowExpiryIndex(file.location, 1),
    /^Error: Cannot narrow the index by expiry of .*store\.db: database is locked$/,
  );

  other.exec("commit");
  assert.deepEqual(other.prepare(indexSql).get(), before);
  narrowExpiryIndex(file.location, 1);
  assert.notDeepEqual(other.prepare(indexSql).get(), before);
});

Deno.test("openStore() narrows the index of a file that Deno made", async () => {
  await using file = await storeFile();
  (await openDenoKv(file.location)).close();

  (await openStore({ location: file.location, secretKey: "x", now: () => 1 })).close();

  using database = new DatabaseSync(file.location);
  assert.match(String(database.prepare(indexSql).get()!.sql), /where expiration_ms >= 0$/);
});

Deno.test("openStore() leaves the index as Deno made it with narrowsIndex: false", async () => {
  await using file = await storeFile();
  const options = { location: file.location, secretKey: "x", now: () => 1, narrowsIndex: false };
  (await openStore(options)).close();

  using database = new DatabaseSync(file.location);
  assert.doesNotMatch(String(database.prepare(indexSql).get()!.sql), /where/);
});
