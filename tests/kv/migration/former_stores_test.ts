import assert from "node:assert/strict";
import { openStore, type Store } from "../../../kv/open_store.ts";
import { type Schema, schemaVersion } from "../../../kv/records/schema.ts";
import { keys } from "../../../kv/store/keys.ts";
import { killWhileMigrating } from "../../support/process/migrating_process.ts";
import { apiClient } from "../../support/service/api_client.ts";
import { startApp } from "../../support/service/app.ts";
import { formerStores, type Unpacked, unpackStore } from "../../support/service/former_stores.ts";
import { auditIndexes } from "../../support/service/index_audit.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

type Json = Record<string, unknown>;

const never = new AbortController().signal;
const now = () => Date.now();

/** Opens a store of a former version with this program, and builds its indexes. */
async function migrate({ location, secretKey }: Unpacked) {
  const store = await openStore({ location, secretKey, now });
  await store.buildIndexes(never);
  return store;
}

/** Asserts that a store shows the records that its version showed, in the same order; closes it. */
async function assertShows(former: Unpacked, store: Store): Promise<void> {
  using app = await startApp({ opened: store });
  for (const [sid, lists] of Object.entries(former.lists)) {
    const account = await app.ports.accounts.get(sid);
    const client = apiClient(app.http, { sid, user: sid, token: account!.authToken });
    for (const [path, before] of Object.entries(lists)) {
      const list = (await client.get(`${path}.json?PageSize=1000`)).json();
      const items: Json[] = Array.isArray(list) ? list : Object.values(list).find(Array.isArray)!;
      const shown = items.map((item, at) => fieldsOf(item, before[at]));
      assert.deepEqual(shown, before.map((item) => fieldsOf(item, item)), `${path} of ${sid}`);
      if (!Array.isArray(list)) assert.equal(list.total, before.length, path);
    }
  }
}

for (const name of formerStores) {
  Deno.test(`a store of ${name} opens, and shows the same as its version`, async () => {
    await using former = await unpackStore(name);
    await assertShows(former, await migrate(former));
    const records = await auditIndexes(former.location, former);
    assert.ok(records >= Object.values(former.lists).flatMap((one) => Object.values(one)).length);
  });
}

for (const name of formerStores) {
  Deno.test(`a store of ${name} is migrated by services that are killed in the middle`, async () => {
    await using whole = await unpackStore(name);
    let needed = 0;
    const open = { ...whole, now, progress: () => void needed++ };
    const first = await openStore(open);
    await first.buildIndexes(never);
    first.close();

    await using former = await unpackStore(name);
    let [kills, made] = [0, 0];
    for (let commits = 1;; commits++) {
      const { location } = former;
      const run = await killWhileMigrating(former, { commits, declares: "resources" });
      made += run.commits;
      if (run.isDone) break;
      kills++;
      await assertUnfinished(location);
    }

    await assertShows(former, await migrate(former));
    await auditIndexes(former.location, former);
    assert.ok(kills >= 3, `${kills} kills`);
    // Each process went on where the one before it was killed; some of its last place is repeated.
    assert.ok(made < needed + 4 * kills, `${made} commits, ${needed} without kills`);
  });
}

/** Asserts that a store says of itself that it is not migrated to the end. */
async function assertUnfinished(location: string): Promise<void> {
  using kv = await openDenoKv(location);
  const { value } = await kv.get<Schema>(keys.version);
  assert.equal(value?.version, schemaVersion);
  const { pending, building, uncounted } = value;
  assert.ok(pending ?? uncounted ?? Object.keys(building)[0]);
}

/** The fields of a record that another one has. A record may have more sub-lists today. */
const fieldsOf = (record: Json, other: Json = {}): Json =>
  Object.fromEntries(
    Object.keys(other).filter((name) => name !== "subresource_uris")
      .map((name) => [name, record[name]]),
  );
