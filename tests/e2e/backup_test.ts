import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { assertHolds, restoredStore, runTask, startLoad } from "../support/service/backup_lab.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";

interface Load {
  backups: number;
  writesPerSecond: number;
}

interface Saved {
  file: string;
  /** Requests that were acknowledged before it began. */
  acknowledged: ReturnType<ReturnType<typeof startLoad>["acknowledged"]>;
  /** Folder to which it is restored. */
  directory: string;
}

/** Most of a restoration is the start of processes, one after the other: several use both cores. */
const restoredAtOnce = 3;

/** Restores a backup into a file, and asserts that it holds what it should. */
async function assertRestores(
  { file, acknowledged, directory }: Saved,
  accountSid: string,
): Promise<void> {
  const { code, output } = await runTask(["restore", file], { DATA_DIR: directory });
  assert.equal(code, 0, output);
  const store = await restoredStore(directory);
  try {
    await assertHolds(store, accountSid, acknowledged);
  } finally {
    store.close();
  }
}

/** Backs up a system under load into a folder, restores each backup into a file, and checks it. */
async function backUpUnderLoad(
  folder: string,
  { backups, writesPerSecond }: Load,
  kv: Record<string, string>,
): Promise<void> {
  const data = `${folder}/data`;
  await Deno.mkdir(data);
  const saved: Saved[] = [];
  await using system = await startSystem({
    directory: data,
    env: { REQUESTS_PER_SECOND: "0", ...kv },
  });
  const load = startLoad(system, writesPerSecond);
  for (let n = 1; n <= backups; n++) {
    const acknowledged = load.acknowledged();
    const file = `${folder}/${n}.backup`;
    const { code, output } = await runTask(["backup", file], { DATA_DIR: data, ...kv });
    assert.equal(code, 0, output);
    saved.push({ file, acknowledged, directory: `${folder}/${n}` });
  }
  const rate = load.rate();
  await load.stop();
  assert.ok(rate > writesPerSecond * 0.9, `${rate} writes a second`);

  const left = saved.values();
  const restoring = Array.from({ length: restoredAtOnce }, async () => {
    for (const backup of left) await assertRestores(backup, system.accountSid);
  });
  await Promise.all(restoring);
  const names = [...Deno.readDirSync(data)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => /\.backup(?!\.lock)/.test(name)), []);
  assert.equal(await system.stop(), 0);
}

/** Asserts that a service starts on a restored folder and that its softphone registers. */
async function assertServes(directory: string): Promise<void> {
  await using restored = await startSystem({ directory });
  const phone = await eventually(
    "a phone registers with its former password",
    () => restored.demoPhone().catch(() => undefined), // The companion may still start.
  );
  assert.ok(phone);
}

/** Runs a test in a folder of its own. */
async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** On a busy machine the first test has taken four minutes, though it needs less than one of CPU. */
const timeout = 480_000;

Deno.test({
  name: "20 backups during 200 writes a second hold every record acknowledged before each began",
  timeout,
  fn: () =>
    inFolder(async (folder) => {
      await backUpUnderLoad(folder, { backups: 20, writesPerSecond: 200 }, {});
      await assertServes(`${folder}/20`);
    }),
});

Deno.test({
  name: "backups of a store on KV Connect hold every record acknowledged before each began",
  timeout,
  fn: () =>
    inFolder(async (folder) => {
      await using endpoint = startKvConnect();
      const kv = { KV_URL: endpoint.url, DENO_KV_ACCESS_TOKEN: "test" };
      await backUpUnderLoad(folder, { backups: 5, writesPerSecond: 30 }, kv);
      await assertServes(`${folder}/5`);
    }),
});
