import assert from "node:assert/strict";
import { backupLimits } from "../../../kv/backup/limits.ts";
import { remoteSnapshot } from "../../../kv/backup/remote_snapshot.ts";
import { keyText } from "../../../kv/store/batch.ts";
import { keys } from "../../../kv/store/keys.ts";
import { isPostgresWanted, startPostgres } from "../../support/service/postgres.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { runTask } from "../../support/service/backup_lab.ts";
import { dice, type StoreLab, storeLab } from "../../support/service/store_lab.ts";
import { openLocation } from "../../../kv/engines/open_location.ts";
import type { KeyValueStore, KvKey } from "../../../kv/store/key_value_store.ts";

const statuses = ["queued", "ringing", "in-progress", "completed", "busy"] as const;

/** Creates, changes and removes calls through two instances of the service, one write at a time. */
function writer(labs: [StoreLab, StoreLab]) {
  const [{ accountSid, call, clock }] = labs;
  const roll = dice(7);
  const sids: string[] = [];
  return async () => {
    const { calls } = labs[roll(2)]!.store.records;
    const at = roll(sids.length + 1);
    const sid = sids[at];
    if (sid === undefined || roll(2) === 0) {
      clock.now += roll(7_200_000);
      const status = statuses[roll(5)]!;
      const record = call({ from: `+1${roll(5)}`, to: "+2", status, startTime: clock.now });
      sids.push((await calls.insert({ record })).sid);
    } else if (roll(3) > 0) {
      const status = statuses[roll(5)]!;
      await calls.update(accountSid, sid, (record) => ({ record: { ...record, status } }));
    } else {
      sids.splice(at, 1);
      await calls.remove(accountSid, sid);
    }
  };
}

/** Creates calls at once; a few have a commit together. */
async function fill({ store, call, clock }: StoreLab, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    const fields = { from: `+1${n % 5}`, to: "+2", status: "completed" } as const;
    await store.records.calls.insert({ record: call({ ...fields, startTime: clock.now }) });
  }));
}

const signal = new AbortController().signal;
const progress = { at: () => {}, over: () => {} };

type Entries = Map<string, unknown>;

const isOfBackups = ([first]: KvKey) => first === keys.backup[0] || first === keys.logs[0];

/** The entries of a store, by the text of their keys. */
async function entriesAt(location: string): Promise<Entries> {
  using kv = await openLocation(location);
  const all = await Array.fromAsync(kv.list({ prefix: [] }));
  return new Map(all.filter(({ key }) => !isOfBackups(key)).map((e) => [keyText(e.key), e.value]));
}

/** Number of entries of a backup under way: its notice and its log. */
async function noticesAt(location: string): Promise<number> {
  using kv = await openLocation(location);
  const all = await Array.fromAsync(kv.list<{ id?: string | null }>({ prefix: [] }));
  return all.filter(({ key, value }) => isOfBackups(key) && value.id !== null).length;
}

Deno.test("a snapshot of KV Connect has every commit of two services that write while it is copied", async () => {
  await using endpoint = startKvConnect();
  const folder = await Deno.makeTempDir();
  using here = await storeLab(endpoint.url);
  using there = await storeLab(endpoint.url);
  const write = writer([here, there]);
  await fill(here, 300);
  for (let n = 0; n < 10; n++) await write();
  for (const { store } of [here, there]) await store.buildIndexes(signal); // It writes nothing later.

  // Between two pages of the copy some writes are made: before, behind and in what is copied already.
  let writes = 0;
  endpoint.beforeRead = async (atMost) => {
    if (atMost < backupLimits.remoteReadAtOnce || writes >= 90) return; // A service reads less at once.
    for (let n = 0; n < 30; n++, writes++) await write();
  };
  const found: Entries = new Map();
  {
    await using snapshot = await remoteSnapshot(endpoint.url, { folder, progress, signal });
    for await (const { key, value } of snapshot.entries()) found.set(keyText(key), value);
    assert.equal(snapshot.total, found.size);
  }
  assert.ok(found.size > 2 * backupLimits.remoteReadAtOnce, `${found.size} entries`);
  assert.ok(writes >= 60, `${writes} writes while it was copied`);
  endpoint.beforeRead = async () => {};
  assert.deepEqual(found, await entriesAt(endpoint.url));
  assert.equal(await noticesAt(endpoint.url), 0);
  await write(); // Both services go on.
  assert.equal(await noticesAt(endpoint.url), 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a commit of a service that has not noticed the backup yet is logged", async () => {
  await using endpoint = startKvConnect();
  using here = await storeLab(endpoint.url);
  await here.store.records.calls.insert({ record: here.call({ from: "+1", to: "+2" }) });
  using kv = await openLocation(endpoint.url);
  await kv.set(keys.backup, { id: "one" });
  await here.store.records.calls.insert({ record: here.call({ from: "+3", to: "+4" }) });
  const logged = await Array.fromAsync(kv.list({ prefix: keys.log("one") }));
  await kv.delete(keys.backup);
  await here.store.records.calls.insert({ record: here.call({ from: "+5", to: "+6" }) });
  const after = await Array.fromAsync(kv.list({ prefix: keys.log("one") }));

  assert.equal(logged.length, 1);
  assert.equal(after.length, 1);
  const { total } = await here.store.records.calls.list(here.accountSid, {
    where: [],
    skip: 0,
    limit: 10,
  });
  assert.equal(total, 3);
});

Deno.test("a commit that a backup refused is made, though the backup is over when its service looks", async () => {
  await using endpoint = startKvConnect();
  const folder = await Deno.makeTempDir();
  using here = await storeLab(endpoint.url);
  await here.store.records.calls.insert({ record: here.call({ from: "+1", to: "+2" }) });

  const [copying, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const backup = Promise.withResolvers<void>();
  endpoint.beforeRead = async (atMost) => {
    if (atMost !== backupLimits.remoteReadAtOnce) return; // Only the copy reads so much at once.
    endpoint.beforeRead = async () => {
      endpoint.beforeRead = async () => {}; // The first one is of the service, which was refused.
      refused.resolve();
      await backup.promise;
    };
    copying.resolve();
    await refused.promise;
  };
  const snapshot = remoteSnapshot(endpoint.url, { folder, progress, signal });
  await copying.promise;
  const insert = here.store.records.calls.insert({ record: here.call({ from: "+3", to: "+4" }) });
  await refused.promise;
  await (await snapshot)[Symbol.asyncDispose]();
  backup.resolve();

  assert.equal((await insert).from, "+3");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a backup takes the place of one that was killed, and removes its notice and log", async () => {
  await using endpoint = startKvConnect();
  const folder = await Deno.makeTempDir();
  using here = await storeLab(endpoint.url);
  using kv = await openLocation(endpoint.url);
  await kv.set(keys.backup, { id: "killed" });
  await here.store.records.calls.insert({ record: here.call({ from: "+3", to: "+4" }) });
  assert.equal(await noticesAt(endpoint.url), 2);
  {
    await using snapshot = await remoteSnapshot(endpoint.url, { folder, progress, signal });
    assert.equal(snapshot.total, (await entriesAt(endpoint.url)).size);
  }
  assert.equal(await noticesAt(endpoint.url), 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a snapshot during which another backup begins is given up, and says so", async () => {
  await using endpoint = startKvConnect();
  const folder = await Deno.makeTempDir();
  {
    using lab = await storeLab(endpoint.url);
    await fill(lab, 30);
  }
  using kv = await openLocation(endpoint.url);
  let hasBegun = false;
  endpoint.beforeRead = async () => {
    if (hasBegun || await noticesAtOnce(kv) === null) return;
    await kv.set(keys.backup, { id: "another" });
  };
  /** The id of the notice; reading it is no read of the snapshot. */
  async function noticesAtOnce(kv: KeyValueStore): Promise<string | null> {
    hasBegun = true;
    const { value } = await kv.get<{ id: string }>(keys.backup);
    hasBegun = value !== null;
    return value?.id ?? null;
  }
  await assert.rejects(
    remoteSnapshot(endpoint.url, { folder, progress, signal }),
    /Cannot save the store: another backup began/,
  );
  const { value } = await kv.get<{ id: string }>(keys.backup);
  assert.equal(value?.id, "another");
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), [
    "switchboard.db.backup.lock",
  ]);
  await Deno.remove(folder, { recursive: true });
});

interface MovedTo extends AsyncDisposable {
  location: string;
  /** By which a service finds it. */
  env: Record<string, string>;
}

/** Servers that a store moves to. */
const servers: Record<string, () => Promise<MovedTo>> = {
  "KV Connect"() {
    const endpoint = startKvConnect();
    return Promise.resolve({
      location: endpoint.url,
      env: { KV_URL: endpoint.url, DENO_KV_ACCESS_TOKEN: "test" },
      [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
    });
  },
  ...isPostgresWanted() && {
    async PostgreSQL() {
      const server = await startPostgres();
      const location = await server.database();
      return {
        location,
        env: { STORE_URL: location },
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
  },
};

for (const [kind, start] of Object.entries(servers)) {
  Deno.test(`a store moves from a file to ${kind} and back, entry for entry`, async () => {
    await using server = await start();
    const folder = await Deno.makeTempDir();
    const SECRET_KEY = "the key of the first year";
    const file = { DATA_DIR: `${folder}/file`, SECRET_KEY };
    const back = { DATA_DIR: `${folder}/back`, SECRET_KEY };
    const remote = { DATA_DIR: `${folder}/remote`, SECRET_KEY, ...server.env };
    await Deno.mkdir(file.DATA_DIR);
    {
      using one = await storeLab(`${file.DATA_DIR}/switchboard.db`, SECRET_KEY);
      const write = writer([one, one]);
      for (let n = 0; n < 100; n++) await write();
    }
    for (
      const [task, saved, env] of [
        ["backup", "1", file],
        ["restore", "1", remote],
        ["backup", "2", remote],
        ["restore", "2", back],
      ] as const
    ) {
      const { code, output } = await runTask([task, `${folder}/${saved}`], env);
      assert.equal(code, 0, output);
    }
    const refused = await runTask(["restore", `${folder}/1`], remote);
    assert.match(
      refused.output,
      /Cannot restore into (http|postgres).*: it is not empty; .* STORE_URL to another/,
    );

    const before = await entriesAt(`${file.DATA_DIR}/switchboard.db`);
    assert.deepEqual(await entriesAt(server.location), before);
    assert.deepEqual(await entriesAt(`${back.DATA_DIR}/switchboard.db`), before);
    await Deno.remove(folder, { recursive: true });
  });
}
