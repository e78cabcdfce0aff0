import assert from "node:assert/strict";
import { openPostgres } from "../../../kv/engines/postgres.ts";
import { postgresCommit, writers } from "../../../kv/engines/postgres_commit.ts";
import { postgresPool, type Query } from "../../../kv/engines/postgres_pool.ts";
import { readDatabaseUrl } from "../../../kv/engines/postgres_url.ts";
import { KvU64 } from "../../../kv/store/key_value_store.ts";
import { testAuthority, testCertificates } from "../../support/process/test_certificates.ts";
import {
  isPostgresWanted,
  type PostgresOptions,
  startPostgres,
} from "../../support/service/postgres.ts";

/** Runs a test on a cluster of its own. */
function testOn(
  name: string,
  fn: (server: Awaited<ReturnType<typeof startPostgres>>) => Promise<void>,
  options: PostgresOptions = {},
): void {
  Deno.test({
    name,
    ignore: !isPostgresWanted(),
    async fn() {
      await using server = await startPostgres(options);
      await fn(server);
    },
  });
}

testOn("a commit that is sent twice is made once, whatever became of the first", async (server) => {
  const location = await server.database();
  using kv = await openPostgres(location);
  const pool = await postgresPool(readDatabaseUrl(location));
  const sent: Query[] = [];
  const ask = async (query: Query) => {
    sent.push(query);
    return await pool.ask(query);
  };
  const of = writers();
  const key = ["a"];
  const insert = () => postgresCommit({ ask }, of).check({ key, versionstamp: null }).set(key, 1);
  const first = await insert().sum(["n"], 1n).commit();
  assert.ok(first.ok);
  const [[again] = []] = await pool.ask(sent[0]!);
  assert.equal(again, `\\x${first.versionstamp}`);
  assert.deepEqual((await kv.get(["n"])).value, new KvU64(1n));

  // A refused commit stays refused, though its check would hold now.
  assert.deepEqual(await insert().sum(["n"], 1n).commit(), { ok: false });
  await kv.delete(key);
  assert.deepEqual(await pool.ask(sent[1]!), [[null]]);
  // A late one comes after another commit of its writer.
  assert.ok((await insert().commit()).ok);
  assert.deepEqual(await pool.ask(sent[0]!), [[null]]);
  assert.deepEqual((await kv.get(["n"])).value, new KvU64(1n));
  pool.close();
});

testOn("what has expired is found by no read, list or check, and is removed", async (server) => {
  using kv = await openPostgres(await server.database());
  await kv.set(["e", 1], 1, { expireIn: -1 });
  await kv.set(["e", 2], 2, { expireIn: 60_000 });
  await kv.set(["e", 3], new KvU64(5n), { expireIn: -1 });

  const found = await Array.fromAsync(kv.list({ prefix: ["e"] }), ({ value }) => value);
  assert.deepEqual(found, [2]);
  assert.equal((await kv.get(["e", 1])).versionstamp, null);
  const insert = kv.atomic().check({ key: ["e", 1], versionstamp: null }).sum(["e", 3], 2n);
  assert.ok((await insert.set(["e", 1], "new").commit()).ok);
  assert.equal((await kv.get(["e", 1])).value, "new");
  assert.deepEqual((await kv.get(["e", 3])).value, new KvU64(2n));
});

testOn(
  "TLS is verified, and a wrong password or authority is told without the URL",
  async (server) => {
    const url = await server.database();
    const folder = await Deno.makeTempDir();
    const authority = `${folder}/authority.pem`;
    await Deno.writeTextFile(authority, testAuthority);
    const verified = `${url}?sslmode=verify-full&sslrootcert=${authority}`;
    {
      using kv = await openPostgres(verified);
      assert.ok((await kv.set(["a"], 1)).ok);
      using unverified = await openPostgres(`${url}?sslmode=require`);
      assert.equal((await unverified.get(["a"])).value, 1);
    }
    const refused = async (location: string, message: RegExp) =>
      await assert.rejects(openPostgres(location), (error: Error) => {
        assert.match(error.message, message);
        return !error.message.includes("of-the-tests-alone");
      });
    await refused(`${url}?sslmode=verify-full`, /certificate|issuer/i);
    await refused(verified.replace("localhost", "127.0.0.1"), /certificate|altnames|name/i);
    await refused(
      verified.replace("of-the-tests-alone", "wrong"),
      /password authentication failed/,
    );
    await refused(`${url}?sslmode=disable`, /no encryption|pg_hba/);
    await Deno.remove(folder, { recursive: true });
  },
  { tls: testCertificates.first },
);

testOn(
  "a later version's tables are refused, and services that start at once make them once",
  async (server) => {
    const location = await server.database();
    const all = await Promise.all(Array.from({ length: 4 }, () => openPostgres(location)));
    for (const [n, kv] of all.entries()) assert.ok((await kv.set(["at once", n], n)).ok);
    for (const kv of all) kv.close();
    const { database } = readDatabaseUrl(location);
    await server.sql(`\\c ${database}\ninsert into switchboard_schema values (99);`);
    await assert.rejects(openPostgres(location), /version 99, and this program knows/);
  },
);
