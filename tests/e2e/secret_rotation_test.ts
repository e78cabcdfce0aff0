import assert from "node:assert/strict";
import { startCompanion } from "../support/service/second_companion.ts";
import { startSystem } from "../support/process/system.ts";
import { eventually } from "../support/process/eventually.ts";

const [before, after] = ["the key of the first year", "the key of the second year"];

Deno.test("SECRET_KEY changes while phones stay registered, and the key before may go", async () => {
  const directory = await Deno.makeTempDir();
  try {
    {
      await using first = await startSystem({ directory, env: { SECRET_KEY: before } });
      await first.phone("alice");
      assert.equal(await first.stop(), 0);
    }
    {
      const env = { SECRET_KEY: after, SECRET_KEY_OTHER: before };
      await using second = await startSystem({ directory, env });
      await second.phone("alice"); // Its password may still be sealed with the key before.
      await eventually(
        "the secrets are sealed again",
        () => /Sealed the secrets of the store with SECRET_KEY/.test(second.output()),
      );
      assert.equal(await second.stop(), 0);
    }
    await using third = await startSystem({ directory, env: { SECRET_KEY: after } });
    await third.phone("alice");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("a changed SECRET_KEY without the key before is named at the start", async () => {
  const directory = await Deno.makeTempDir();
  try {
    {
      await using first = await startSystem({ directory, env: { SECRET_KEY: before } });
      assert.equal(await first.stop(), 0);
    }
    await assert.rejects(
      startSystem({ directory, env: { SECRET_KEY: after } }),
      /SECRET_KEY is not the one it was sealed with/,
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("companions with BRIDGE_SECRET old and new call each other while it changes", async () => {
  const [old, next] = ["the bridge secret of old", "the bridge secret of new"];
  const env = { BRIDGE_SECRET: next, BRIDGE_SECRET_OTHER: old };
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, {
    BRIDGE_SECRET: old,
    BRIDGE_SECRET_OTHER: next,
  });
  const alice = await system.phone("alice");
  await system.post("Clients.json", { Login: "bob", Password: "bob-secret" });
  const bob = await second.phone("bob"); // Its HA1 is sealed on the way to the second companion.
  await eventually("both are known", async () => {
    const { Metrics } = await system.get("Supervisor.json/metrics");
    return Metrics.RegisteredUsers === 2;
  });

  for (const [from, to, name] of [[alice, bob, "bob"], [bob, alice, "alice"]] as const) {
    const { answered } = from.call(name);
    const [callee, caller] = await Promise.all([(await to.nextCall()).answer(), answered]);
    await caller.bye();
    await callee.ended;
  }
});
