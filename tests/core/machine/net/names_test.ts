import assert from "node:assert/strict";
import { limits } from "../../../../core/base/limits.ts";
import { learnedTenant, learnTenants } from "../../../../core/base/learned_tenants.ts";
import {
  createNames,
  lookedUpFor,
  lookingFor,
  lookupBy,
} from "../../../../core/machine/net/names.ts";
import { eventually } from "../../../support/process/eventually.ts";
import { type Reply, startNameServer } from "../../../support/process/name_server.ts";

const address = "192.0.2.7";
const one = (reply: Reply = { records: [{ address }] }) => ({ type }: { type: string }): Reply =>
  type === "A" ? reply : {};

/** Queries that cannot be given up outlive a test of a silent name server. */
const outlived = { sanitizeOps: false, sanitizeResources: false };

async function addressesOf(script: Parameters<typeof startNameServer>[0], name = "host.test") {
  await using server = await startNameServer(script);
  const names = createNames({ servers: [server.address] });
  const found = await names.addressesOf(name);
  return { found: found.map(({ address }) => address), asked: server.asked };
}

Deno.test("addressesOf() finds both families, IPv4 first", async () => {
  const six = "2001:db8:0:0:0:0:0:7";
  const { found } = await addressesOf(({ type }) => ({
    records: [{ address: type === "A" ? address : six }],
  }));
  assert.deepEqual(found, [address, "2001:db8::7"]);
});

Deno.test("addressesOf() asks nobody about an address", async () => {
  const names = createNames({ servers: [] });
  assert.deepEqual(await names.addressesOf("::1"), [{ address: "::1", family: 6 }]);
  assert.deepEqual(await names.addressesOf(address), [{ address, family: 4 }]);
});

Deno.test("addressesOf() follows a CNAME, and asks again over TCP where an answer is truncated", async () => {
  const led = await addressesOf(({ name, type }) => {
    if (type !== "A") return {};
    return { records: name === "host.test" ? [{ cname: "real.test" }] : [{ address }] };
  });
  assert.deepEqual(led.found, [address]);
  assert.ok(led.asked.some(({ name }) => name === "real.test"));

  const cut = await addressesOf(({ type, by }) => {
    if (type !== "A") return {};
    return by === "udp" ? { isTruncated: true } : { records: [{ address }] };
  });
  assert.deepEqual(cut.found, [address]);
});

for (
  const [what, reply] of Object.entries<Reply>({
    "no such name (NXDOMAIN)": { code: 3 },
    "a failure (SERVFAIL)": { code: 2 },
    "a refusal": { code: 5 },
    "no record": {},
    "a circle of CNAMEs": { records: [{ cname: "host.test" }] },
  })
) {
  Deno.test(`addressesOf() rejects at ${what}`, async () => {
    await assert.rejects(
      addressesOf(() => reply),
      /^Error: the name host.test cannot be resolved by DNS: it has no address$/,
    );
  });
}

Deno.test(
  "addressesOf() is not kept waiting by a family that is never answered",
  outlived,
  async () => {
    const { found, asked } = await addressesOf(({ type }) =>
      type === "A" ? { records: [{ address }] } : null
    );
    assert.deepEqual(found, [address]);
    // Waited for to the end, it would be asked for twice, and then once more.
    assert.ok(asked.filter(({ type }) => type === "AAAA").length < 3);
  },
);

Deno.test(
  "addressesOf() takes no answer with a wrong ID, and gives up in time",
  outlived,
  async () => {
    const wrong = { records: [{ address }], hasWrongId: true };
    const began = performance.now();
    await assert.rejects(addressesOf(() => wrong), /: its name server does not answer$/);
    assert.ok(performance.now() - began < 2 * limits.nameLookupMs);
  },
);

Deno.test(
  "addressesOf() waits for a name server that takes longer than a second",
  outlived,
  async () => {
    const slow = { records: [{ address }], afterMs: 1_600 };
    const { found } = await addressesOf(({ type }) => type === "A" ? slow : { afterMs: 1_600 });
    assert.deepEqual(found, [address]);
  },
);

Deno.test("addressesOf() keeps an answer for its time to live, and a failure for a moment", async () => {
  let now = 0;
  await using server = await startNameServer(({ name, type }) => {
    if (name === "gone.test") return { code: 3 };
    return type === "A" ? { records: [{ address, ttl: 3 }, { address: "192.0.2.8", ttl: 9 }] } : {};
  });
  const names = createNames({ servers: [server.address], now: () => now });
  const asks = async (name: string) => {
    const before = server.asked.length;
    await names.addressesOf(name).catch(() => {});
    return server.asked.length > before;
  };

  assert.equal(await asks("host.test"), true);
  now += 2_900;
  assert.equal(await asks("HOST.test"), false);
  now += 200;
  assert.equal(await asks("host.test"), true);

  assert.equal(await asks("gone.test"), true);
  now += limits.nameFailureCacheMs - 1;
  assert.equal(await asks("gone.test"), false);
  now += 2;
  assert.equal(await asks("gone.test"), true);
});

Deno.test("addressesOf() asks once for those that want a name at the same time", async () => {
  await using server = await startNameServer(one());
  const names = createNames({ servers: [server.address] });

  await Promise.all(Array.from({ length: 50 }, (_, i) => names.addressesOf("host.test", `AC${i}`)));

  assert.equal(server.asked.length, 2);
});

Deno.test("silent names take their tenant's share of the look-ups alone", outlived, async () => {
  const silent: string[] = [];
  const full = Promise.withResolvers<void>();
  await using server = await startNameServer(({ name, type }) => {
    if (!name.startsWith("silent")) return type === "A" ? { records: [{ address }] } : {};
    if (type === "A" && silent.push(name) === limits.nameLookupsOfTenant) full.resolve();
    return null;
  });
  const names = createNames({ servers: [server.address] });
  const given = Array.from({ length: 150 }, async (_, i) => {
    await assert.rejects(names.addressesOf(`silent${i}.test`, "ACa"), /cannot be resolved by DNS/);
  });
  await full.promise;

  const other = await names.addressesOf("other.test", "ACb");
  assert.deepEqual(other.map(({ address }) => address), [address]);
  assert.equal(new Set(silent).size, limits.nameLookupsOfTenant, "the others wait");
  // A name that waits there is asked for by another tenant's own share.
  const known = new Set(silent).size;
  const same = assert.rejects(names.addressesOf("silent149.test", "ACb"));
  await eventually("it is asked for", () => new Set(silent).size > known);
  await Promise.all([...given, same]);
});

Deno.test("the system is asked where no name server can be, by few at once of a tenant", async () => {
  const asked: string[] = [];
  const answered = Promise.withResolvers<{ address: string }[]>();
  const names = createNames({
    servers: ["not an address"],
    bySystem: (name) => (asked.push(name), answered.promise),
  });
  const looks = ["a", "b", "c"].map((name) => names.addressesOf(name, "ACa"));
  await assert.rejects(looks[2]!, /too many look-ups of the account run/);
  assert.deepEqual(asked, ["a", "b"]);
  const other = names.addressesOf("c", "ACb");
  await eventually("another tenant has places of its own", () => asked.includes("c"));

  answered.resolve([{ address: "::7" }, { address }]);
  const found = { address, family: 4 };
  await other;
  assert.deepEqual(await looks[0], [found, { address: "::7", family: 6 }]);
});

Deno.test("lookupBy() refuses a name with one address that must not be reached", async () => {
  await using server = await startNameServer(one({
    records: [{ address }, { address: "10.0.0.1" }],
  }));
  const by = createNames({ servers: [server.address] });
  const look = (all: boolean, refused: string) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const refusalOf = (address: string) =>
      address === refused ? new Error(`${address} is private`) : undefined;
    lookupBy({ by, refusalOf })("host.test", { all }, (error, found) => resolve(error ?? found));
    return promise;
  };

  assert.match(String(await look(true, "10.0.0.1")), /10.0.0.1 is private/);
  assert.match(String(await look(false, "10.0.0.1")), /10.0.0.1 is private/);
  assert.equal(await look(false, ""), address);
});

Deno.test("lookingFor() has look-ups and other queries count for a tenant", async () => {
  const asked = Promise.withResolvers<{ address: string }[]>();
  const names = createNames({ servers: ["not an address"], bySystem: () => asked.promise });
  const looks = lookingFor("ACa", () => ["a", "b"].map((name) => names.addressesOf(name)));
  await assert.rejects(names.addressesOf("c", "ACa"), /too many look-ups of the account run/);
  assert.equal(await lookingFor("ACa", () => names.query(() => Promise.resolve(7))), 7);
  asked.resolve([{ address }]);
  await Promise.all([...looks, names.addressesOf("d", "ACa")]);
});

Deno.test("learnTenants() has look-ups for a sub-account count for its tenant", () => {
  learnTenants({ ACsub: "ACtenant" });
  assert.equal(learnedTenant("ACsub"), "ACtenant");
  assert.equal(learnedTenant("ACother"), "ACother");
  assert.equal(lookingFor(learnedTenant("ACsub"), lookedUpFor), "ACtenant");
});
