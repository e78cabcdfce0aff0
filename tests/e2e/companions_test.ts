import assert from "node:assert/strict";
import { startCompanion } from "../support/second_companion.ts";
import { eventually, startSystem } from "../support/system.ts";

Deno.test("calls and messages reach a Client at whichever companion it is registered", async () => {
  await using system = await startSystem();
  await using second = await startCompanion(system);
  const alice = await system.phone("alice");
  const { sid } = await system.post("Clients.json", { Login: "bob", Password: "bob-secret" });
  const bob = await second.phone("bob");
  await eventually("both are known", async () => {
    const { Metrics } = await system.get("Supervisor.json/metrics");
    return Metrics.RegisteredUsers === 2;
  });

  for (const [login, phone] of [["alice", alice], ["bob", bob]] as const) {
    const Url = `${system.baseUrl}/demo/welcome`;
    const call = await system.post("Calls.json", { From: "me", To: `client:${login}`, Url });
    (await phone.nextCall()).decline(486);
    await eventually(
      `${login} was busy`,
      async () => (await system.get(`Calls/${call.sid}.json`)).status === "busy",
    );
  }
  const { answered, final } = alice.call("bob");
  const [callee, caller] = await Promise.all([(await bob.nextCall()).answer(), answered]);
  await caller.bye();
  await callee.ended;
  const text = await bob.message("alice", "hello");
  assert.equal((await alice.nextText()).body, "hello");
  const [binding] = await system.get(`Clients/${sid}/Bindings.json`);
  await system.post(`Clients/${sid}.json`, { Status: "0" });
  await eventually(
    "bob is registered no more",
    async () => (await system.get(`Clients/${sid}/Bindings.json`)).length === 0,
  );

  assert.equal(binding.contact, bob.contact);
  assert.deepEqual([(await final).status, text.status], [200, 202]);
});
