import assert from "node:assert/strict";
import { openStore } from "../../kv/open_store.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";
import { type FormerStore, unpackStore } from "../support/service/former_stores.ts";
import { auditIndexes } from "../support/service/index_audit.ts";

for (const version of ["0.1.0", "0.3.0"] satisfies FormerStore[]) {
  Deno.test(`a service that is started on the DATA_DIR of ${version} serves it, also after kill -9`, async () => {
    await using former = await unpackStore(version);
    const directory = former.location.replace(/\/[^/]*$/, "");
    const location = `${directory}/switchboard.db`;
    await Deno.rename(former.location, location);
    const shown = former.lists[former.root]!;
    {
      const env = { SECRET_KEY: former.secretKey };
      await using system = await startSystem({ directory, env });
      assert.match(system.output(), /^Migrating the store: calls, \d+ records so far$/m);
      assert.match(system.output(), /^Migrated the store in \d+\.\d s$/m);
      assert.equal(system.accountSid, former.root);

      const [killed] = system.pids("main.ts");
      Deno.kill(killed!, "SIGKILL");
      await eventually("the service is started again", () => {
        const [pid] = system.pids("main.ts");
        return pid !== undefined && pid !== killed;
      });
      await system.ready();

      const sidsOf = (records: Record<string, unknown>[]) => records.map(({ sid }) => sid);
      for (const path of ["Calls", "Clients", "IncomingPhoneNumbers", "OutgoingCallerIds"]) {
        const list = await system.get(`${path}.json?PageSize=1000`);
        const items = Array.isArray(list) ? list : Object.values(list).find(Array.isArray);
        assert.deepEqual(sidsOf(items!), sidsOf(shown[path]!), path);
      }
      const { sid } = await system.post("Applications.json", { FriendlyName: "after" });
      assert.equal((await system.get(`Applications/${sid}.json`)).friendly_name, "after");
      assert.equal(await system.stop(), 0);
    }
    // The service may have stopped before its indexes were built.
    const { secretKey } = former;
    const store = await openStore({ location, secretKey, now: () => Date.now() });
    await store.buildIndexes(new AbortController().signal);
    store.close();
    assert.ok(await auditIndexes(location, former) > 150);
  });
}
