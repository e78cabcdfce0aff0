import assert from "node:assert/strict";
import { handlers } from "../../core/jobs/mod.ts";
import { jobLimits } from "../../kv/jobs/limits.ts";
import { eventually } from "../support/process/eventually.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";

/** Calls of one account: more than are placed at once. */
const many = 3 * jobLimits.placingCalls;

for (const [floods, quiet] of [[1, 1], [3, 4]] as const) {
  const wait = `those of others wait for the companion (${quiet} beside ${floods})`;
  Deno.test(`the calls of quiet accounts are placed while ${wait}`, async () => {
    using app = await startApp();
    /** An account with a client of the same name. */
    const accountOf = async (name: string): Promise<ApiClient> => {
      const account = await app.subAccount(app.root, name);
      const made = await account.post("Clients.json", { Login: name, Password: "a-secret" });
      assert.equal(made.status, 200);
      return account;
    };
    const callOf = async (account: ApiClient, name: string): Promise<string> => {
      const call = { From: "+15550001", To: `client:${name}`, Url: "https://app.test/voice" };
      return (await account.post("Calls.json", call)).json().sid;
    };
    const ofFlooding = new Set<string>();
    const placed: string[] = [];
    const released = Promise.withResolvers<void>();
    const { run } = app.ports.control;
    app.ports.control.run = async (leg, ...order) => {
      if (ofFlooding.has(leg)) await released.promise;
      placed.push(leg);
      return await run(leg, ...order);
    };
    for (let flood = 0; flood < floods; flood++) {
      const account = await accountOf(`flood${flood}`);
      for (let n = 0; n < many; n++) ofFlooding.add(await callOf(account, `flood${flood}`));
    }
    const sids = new Set<string>();
    for (let other = 0; other < quiet; other++) {
      const account = await accountOf(`quiet${other}`);
      sids.add(await callOf(account, `quiet${other}`));
    }

    const worker = await app.worker(handlers);
    worker.start();
    await eventually("the quiet accounts' calls are placed", () => placed.length >= quiet);
    assert.deepEqual(new Set(placed), sids);

    released.resolve();
    await eventually("all calls are placed", () => placed.length === floods * many + quiet);
    await worker.stop(1_000);
  });
}
