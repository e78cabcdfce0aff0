import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { assertHolds, restoredStore, runTask, startLoad } from "../support/service/backup_lab.ts";

const backups = 20;
const writesPerSecond = 200;

Deno.test({
  name: "20 backups during 200 writes a second hold every record acknowledged before each began",
  timeout: 240_000,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await using system = await startSystem({ env: { REQUESTS_PER_SECOND: "0" } });
      const load = startLoad(system, writesPerSecond);
      const saved = [];
      for (let n = 1; n <= backups; n++) {
        const acknowledged = load.acknowledged();
        const file = `${folder}/${n}.backup`;
        const { code, output } = await runTask(["backup", file], { DATA_DIR: system.directory });
        assert.equal(code, 0, output);
        saved.push({ file, acknowledged, directory: `${folder}/${n}` });
      }
      const rate = load.rate();
      await load.stop();
      assert.ok(rate > writesPerSecond * 0.9, `${rate} writes a second`);

      for (const { file, acknowledged, directory } of saved) {
        const { code, output } = await runTask(["restore", file], { DATA_DIR: directory });
        assert.equal(code, 0, output);
        const store = await restoredStore(directory);
        try {
          await assertHolds(store, system.accountSid, acknowledged);
        } finally {
          store.close();
        }
      }
      const leftovers = [...Deno.readDirSync(system.directory)].map(({ name }) => name)
        .filter((name) => /\.backup(?!\.lock)/.test(name));
      assert.deepEqual(leftovers, []);

      assert.equal(await system.stop(), 0);
      const { directory } = saved.at(-1)!;
      await using restored = await startSystem({ directory });
      const phone = await eventually(
        "a phone registers with its former password",
        () => restored.demoPhone().catch(() => undefined), // The companion may still start.
      );
      assert.ok(phone);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
