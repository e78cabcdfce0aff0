import assert from "node:assert/strict";
import { handlers } from "../../core/jobs/mod.ts";
import { jobLimits } from "../../kv/jobs/limits.ts";
import { eventually } from "../support/process/eventually.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";

/** Calls of one account: more than are placed at once. */
const many = 3 * jobLimits.placingCalls;

Deno.test("the calls of an account are placed while those of another wait for the companion", async () => {
  using app = await startApp();
  const flooding = await app.subAccount(app.root, "flooding");
  const other = await app.subAccount(app.root, "other");
  const callOf = async (account: ApiClient, Login: string): Promise<string> => {
    const call = { From: "+15550001", To: `client:${Login}`, Url: "https://app.test/voice" };
    return (await account.post("Calls.json", call)).json().sid;
  };
  for (const [account, Login] of [[flooding, "alice"], [other, "bob"]] as const) {
    const { status } = await account.post("Clients.json", { Login, Password: "a-secret" });
    assert.equal(status, 200);
  }
  const ofFlooding = new Set<string>();
  const placed: string[] = [];
  const released = Promise.withResolvers<void>();
  const { run } = app.ports.control;
  app.ports.control.run = async (leg, ...order) => {
    if (ofFlooding.has(leg)) await released.promise;
    placed.push(leg);
    return await run(leg, ...order);
  };
  for (let n = 0; n < many; n++) {
    ofFlooding.add(await callOf(flooding, "alice"));
  }
  const sid = await callOf(other, "bob");

  const worker = await app.worker(handlers);
  worker.start();
  await eventually("the other account's call is placed", () => placed.includes(sid));
  assert.deepEqual(placed, [sid]);

  released.resolve();
  await eventually("all calls are placed", () => placed.length === many + 1);
  await worker.stop(1_000);
});
