import assert from "node:assert/strict";
import {
  areDraining,
  companionFor,
  refuseWithoutTaker,
} from "../../../core/companions/companions.ts";
import type { Companions, CompanionState } from "../../../core/model/ports/companion_ports.ts";
import type { Target } from "../../../core/protocol/script.ts";

const state = (id: string, isDraining?: true): CompanionState => ({
  id,
  runId: "1",
  seenAt: 0,
  ...isDraining && { isDraining },
});

/** Companions of which all that are asked about have a device of the login. */
const companions = {
  holding: (_login, among) => Promise.resolve(among),
} as Partial<Companions> as Companions; // Only holding() is called.

const trunk: Target = { kind: "trunk", dialled: "+15550001", routes: [] };
const client: Target = { kind: "client", login: "alice" };

Deno.test("companionFor() leaves out a companion that drains, while another one lives", async () => {
  const [old, other] = [state("old", true), state("other")];
  for (const target of [trunk, client]) {
    assert.equal(
      await companionFor({ target, tenant: "AC1" }, [old, other], { companions }),
      other,
    );
    assert.equal(await companionFor({ target, tenant: "AC1" }, [old], { companions }), old);
    assert.equal(await companionFor({ target, tenant: "AC1" }, [], { companions }), null);
  }
});

Deno.test("areDraining() is of all live companions, and there must be one", () => {
  assert.equal(areDraining([state("a", true), state("b", true)]), true);
  assert.equal(areDraining([state("a", true), state("b")]), false);
  assert.equal(areDraining([]), false);
});

Deno.test("companionFor() leaves out a companion without RTP ports while another one has some", async () => {
  const [short, other] = [{ ...state("short"), shortage: "ports" }, state("other")];
  assert.equal(
    await companionFor({ target: trunk, tenant: "AC1" }, [short, other], { companions }),
    other,
  );
  assert.equal(
    await companionFor({ target: trunk, tenant: "AC1" }, [short], { companions }),
    short,
  );
});

Deno.test("a tenant that has its share of the ports of all companions is refused, and no other", async () => {
  const full = (id: string): CompanionState => ({ ...state(id), fullTenants: ["AC1"] });
  const portsOf = (...known: CompanionState[]) => ({
    companions: {
      ...companions,
      list: () => Promise.resolve(known.map((one) => ({ ...one, silentMs: 0 }))),
    },
    steadyNow: () => 0,
  });
  const call = { to: "+15550001", tenant: "AC1" };
  await assert.rejects(refuseWithoutTaker(call, portsOf(full("a"), full("b"))), {
    name: "Fault",
    fault: "exhausted",
  });
  await refuseWithoutTaker({ ...call, tenant: "AC2" }, portsOf(full("a"), full("b")));
  await refuseWithoutTaker({ ...call, to: "client:alice" }, portsOf(full("a")));
  await refuseWithoutTaker(call, portsOf(full("a"), state("b")));
  const taking = await companionFor({ target: trunk, tenant: "AC1" }, [full("a"), state("b")], {
    companions,
  });
  assert.equal(taking?.id, "b");
});

Deno.test("refuseWithoutTaker() reads the companions again after a second", async () => {
  const known = [state("a")];
  let reads = 0;
  const ports = {
    companions: {
      ...companions,
      list: () => Promise.resolve((reads++, known.map((one) => ({ ...one, silentMs: 0 })))),
    },
    steadyNow: () => 0,
  };
  await refuseWithoutTaker({ to: "+15550001", tenant: "AC1" }, ports);
  known[0] = state("a", true);
  await refuseWithoutTaker({ to: "+15550001", tenant: "AC1" }, { ...ports, steadyNow: () => 999 });
  assert.equal(reads, 1);
  await assert.rejects(
    refuseWithoutTaker({ to: "+15550001", tenant: "AC1" }, { ...ports, steadyNow: () => 1_000 }),
    {
      name: "Fault",
    },
  );
});
