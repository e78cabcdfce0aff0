import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import type { Softphone } from "../support/sip/softphone.ts";

/** The statuses that calls can be counted in. */
const live = ["queued", "ringing", "in-progress"];

async function liveCalls(system: System): Promise<number> {
  const counts = await Promise.all(live.map(async (Status) => {
    const { calls } = await system.get(`Calls.json?Status=${Status}&PageSize=100`);
    const outbound = calls.filter(({ direction }: { direction: string }) =>
      direction !== "inbound"
    );
    return outbound.length;
  }));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Many requests at once; those that a killed service does not answer may have made a call or not. */
async function postMany(system: System, n: number): Promise<number[]> {
  const address = `${system.baseUrl}/2012-04-24/Accounts/${system.accountSid}/Calls.json`;
  const headers = { authorization: `Basic ${btoa(`${system.accountSid}:${system.authToken}`)}` };
  const form = { From: "me", To: "client:alice", Url: `${system.baseUrl}/demo/welcome` };
  const body = new URLSearchParams({ ...form, Timeout: "120" });
  return await Promise.all(Array.from({ length: n }, async () => {
    try {
      const response = await fetch(address, { method: "POST", headers, body });
      await response.body?.cancel();
      return response.status;
    } catch {
      return 0;
    }
  }));
}

/** Lets the phone ring for every incoming call, until the test orders it to decline one. */
function ringing(phone: Softphone) {
  const calls: Awaited<ReturnType<Softphone["nextCall"]>>[] = [];
  const wait = async () => {
    for (;;) {
      const call = await phone.nextCall();
      call.ring();
      calls.push(call);
    }
  };
  wait().catch(() => {}); // The phone was closed.
  return calls;
}

Deno.test("MAX_CONCURRENT_CALLS holds while services are killed under requests, and no place is lost", async () => {
  await using system = await startSystem({ env: { MAX_CONCURRENT_CALLS: "4" } });
  const phone = await system.phone("alice");
  const calls = ringing(phone);

  for (let round = 0; round < 3; round++) {
    const posted = postMany(system, 25);
    const [pid] = system.pids("main.ts") as [number];
    if (round > 0) Deno.kill(pid, "SIGKILL");
    const statuses = await posted;
    await eventually("another service runs", () => {
      const [now] = system.pids("main.ts");
      return now !== undefined && (round === 0 || now !== pid);
    });
    await system.ready();
    assert.ok(statuses.filter((status) => status === 200).length <= 4);
    const count = await liveCalls(system);
    assert.ok(count <= 4, `${count} calls at once`);
    await eventually("each live call is counted, and no other", async () => {
      const { concurrent_calls: counted } = await system.get("Limits.json");
      return counted === await liveCalls(system);
    });
  }

  await eventually("all places are taken", async () => {
    await postMany(system, 4);
    return await liveCalls(system) === 4;
  });
  await eventually("all ring", () => calls.length >= 4);
  for (const call of calls) call.decline(486);
  await eventually("all places are free", async () => {
    for (const call of calls.splice(0)) call.decline(486);
    return (await system.get("Limits.json")).concurrent_calls === 0;
  });
  assert.equal(await liveCalls(system), 0);
});

Deno.test("a softphone beyond a limit gets 503 with the reason, and its callee does not ring", async () => {
  await using system = await startSystem({ env: { MAX_CONCURRENT_CALLS: "1" } });
  const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];
  const first = alice.call("bob");
  const ringing = await bob.nextCall();
  ringing.ring();
  const refused = await alice.call("bob").final;

  assert.equal(refused.status, 503);
  const warning = refused.headers.find(([name]) => name === "warning")?.[1] ?? "";
  assert.match(warning, /MaxConcurrentCalls of this account is 1, 1 of it used; the operator/);
  ringing.decline(486);
  assert.equal((await first.final).status, 486);
  await eventually(
    "the place is free",
    async () => (await system.get("Limits.json")).concurrent_calls === 0,
  );
});
