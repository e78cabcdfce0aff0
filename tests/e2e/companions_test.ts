import assert from "node:assert/strict";
import { obey, refer, talking, told } from "../support/sip/transfer_lab.ts";
import { startCompanion } from "../support/service/second_companion.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem } from "../support/process/system.ts";

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

const inTime = { timeout: 240_000 };

Deno.test(
  "an attended transfer joins calls of two processes, and fails when one is gone",
  inTime,
  async () => {
    await using system = await startSystem();
    await using second = await startCompanion(system);
    for (const Login of ["bob", "carol"]) {
      await system.post("Clients.json", { Login, Password: `${Login}-secret` });
    }
    const alice = await system.phone("alice");
    const [bob, carol] = [await second.phone("bob"), await second.phone("carol")];
    await eventually("all are known", async () => {
      const { Metrics } = await system.get("Supervisor.json/metrics");
      return Metrics.RegisteredUsers === 3;
    });

    const [ofAlice, first] = await talking(alice, bob);
    const [asking, asked] = await talking(bob, carol);
    await refer(first, asking, "carol");
    const calling = obey(ofAlice);
    const taken = await (await carol.nextCall()).answer();
    const joined = await calling;
    const progress = await told(first);
    await Promise.all([asking.dialog.ended, asked.dialog.ended]);
    await first.dialog.bye();
    await ofAlice.dialog.ended;
    assert.ok(typeof joined === "object");
    await joined.bye();
    await taken.ended;

    assert.match(progress.at(-1) ?? "", /^SIP\/2\.0 200 /);
    const statuses = async () => {
      const { calls } = await system.get("Calls.json");
      return new Set<string>(calls.map(({ status }: { status: string }) => status));
    };
    const isOver = async () => (await statuses()).isSubsetOf(new Set(["completed", "failed"]));
    await eventually("all records are closed", isOver);
    assert.deepEqual(await statuses(), new Set(["completed"]));

    const [again] = await talking(alice, bob);
    const [{ dialog: named }] = await talking(bob, carol);
    Deno.kill(second.pid(), "SIGKILL");
    await again.dialog.ended;
    const headers = [`Replaces: ${decodeURIComponent(named.replaces)}`];
    assert.equal((await alice.call("carol", { headers }).final).status, 481);
    await eventually("the records of who was killed are closed", isOver);
  },
);
