import type { PostgresPool } from "./postgres_pool.ts";
import { migrationLock, schemaVersion, steps } from "./postgres_schema.ts";

/** The writers that made no commit for so long have none under way, in ms. */
const writersKeptMs = 7 * 86_400_000;

/**
 * Makes the tables of a store, or brings them to the version of this program. Services that start at
 * the same time follow each other. Throws an Error where a later version made the tables.
 */
export async function migrate(pool: PostgresPool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`
      begin;
      select pg_advisory_xact_lock(${migrationLock});
      create table if not exists switchboard_schema (version integer primary key)`);
    const { rows } = await client.query({
      text: "select coalesce(max(version), 0)::text from switchboard_schema",
      rowMode: "array",
    });
    const found = Number(String(rows[0]![0])); // max() has one row.
    if (found > schemaVersion) {
      throw new Error(
        `The tables of the store are of version ${found}, and this program knows ${schemaVersion}: ` +
          "start a later version of Switchboard",
      );
    }
    for (const [at, step] of steps.entries()) {
      if (at < found) continue;
      await client.query(step);
      await client.query(`insert into switchboard_schema values (${at + 1})`);
    }
    await client.query(`
      delete from switchboard_writers
      where at < (extract(epoch from clock_timestamp()) * 1000)::bigint - ${writersKeptMs};
      commit`);
  } finally {
    await client.end().catch(() => {}); // An open transaction ends with it.
  }
}
