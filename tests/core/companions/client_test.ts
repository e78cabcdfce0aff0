import assert from "node:assert/strict";
import { answerOf, requestOf } from "../../../core/base/outgoing.ts";
import { companionClient } from "../../../core/companions/client.ts";
import { companionFor, liveCompanions } from "../../../core/companions/companions.ts";
import { Fault } from "../../../core/base/faults.ts";
import { limits } from "../../../core/base/limits.ts";
import type { Companions, CompanionState } from "../../../core/model/ports/companion_ports.ts";

const now = () => 1_000_000;
const leg = `CA${"0".repeat(32)}`;

const state = (id: string, changes: Partial<CompanionState> = {}): CompanionState => ({
  id,
  runId: `run of ${id}`,
  seenAt: now(),
  bridgeUrl: `http://${id}.test`,
  ...changes,
});

const never = () => Promise.reject(new Error("not asked here"));

const heard = (one: CompanionState) => ({ ...one, silentMs: now() - one.seenAt });

/** Companions as the store knows them; `holders` have a device of everybody. */
const known = (states: CompanionState[], holders: string[] = []): Companions => ({
  list: () => Promise.resolve(states.map(heard)),
  get: (id) => Promise.resolve(states.map(heard).find((one) => one.id === id) ?? null),
  heard: never,
  holding: (_, among) => Promise.resolve(among.filter(({ id }) => holders.includes(id))),
  beat: never,
  forget: never,
  lastHeardAt: never,
  takePresence: never,
  hasPresence: never,
  countRegistered: never,
});

/** A client whose requests each host answers so, or not at all when it is not named. */
function startClient(states: CompanionState[], statuses: Record<string, number | "no leg">) {
  const asked: string[] = [];
  const client = companionClient({
    url: "http://expected.test",
    companions: known(states),
    secret: "secret",
    now,
    steadyNow: now,
    timeoutMs: 1_000,
    fetch({ url }) {
      const { host, pathname } = url;
      asked.push(host + pathname);
      const status = statuses[host];
      if (status === undefined) return Promise.reject(new TypeError("connection refused"));
      if (status === "no leg") {
        return Promise.resolve(answerOf(Response.json({ companion: null, isDone: false })));
      }
      const companion = { id: host, runId: "run" };
      return Promise.resolve(
        answerOf(
          Response.json({ companion, bindings: [], isDone: true, isKnown: true }, { status }),
        ),
      );
    },
  });
  return { client, asked };
}

const two = [state("one"), state("two")];

Deno.test("run() requests the named companion, and no other", async () => {
  const { client, asked } = startClient(two, { "one.test": 200, "two.test": "no leg" });

  assert.equal((await client.run(leg, [], { at: { id: "one" } }))?.id, "one.test");
  assert.equal(await client.run(leg, [], { at: { id: "two" } }), null);

  assert.deepEqual(asked, ["one.test/run", "two.test/run"]);
});

Deno.test("run() requests one companion after another until one has the leg when none is named", async () => {
  const states = [...two, state("lost", { seenAt: now() - limits.companionLostMs - 1 })];
  const { client, asked } = startClient(states, { "two.test": 200 });
  const nobody = startClient(two, { "one.test": "no leg", "two.test": "no leg" });
  const unsure = startClient(two, { "one.test": "no leg" });

  assert.equal((await client.run(leg, []))?.id, "two.test");
  assert.equal(await nobody.client.run(leg, []), null);
  await assert.rejects(unsure.client.run(leg, []), Fault);

  assert.deepEqual(asked, ["one.test/run", "two.test/run"]);
});

Deno.test("run() goes where a companion is expected before any was heard of", async () => {
  const { client, asked } = startClient([], { "expected.test": 200 });
  const { bridgeUrl: _, ...silent } = state("one");
  const old = startClient([silent], { "expected.test": 200 });

  await client.run(leg, []);
  await old.client.run(leg, [], { at: { id: "one" } });

  assert.deepEqual([...asked, ...old.asked], ["expected.test/run", "expected.test/run"]);
});

Deno.test("mute() requests the companion that has the leg, false when the leg is gone", async () => {
  const { client, asked } = startClient(two, { "one.test": 200, "two.test": "no leg" });

  assert.equal(await client.mute(leg, true, { id: "one" }), true);
  assert.equal(await client.mute(leg, true, { id: "two" }), false);
  await assert.rejects(client.mute(leg, true, { id: "three" }), { code: 20503 });

  assert.deepEqual(asked, ["one.test/mute", "two.test/mute", "expected.test/mute"]);
});

const outward = { sid: "SM1", from: "+15550001", to: "+15550002", body: "Hello", routes: [] };

for (
  const [what, statuses, others] of [
    ["stops", { "one.test": 503, "two.test": 200 }, ["two.test/outward-message"]],
    ["refuses connections", { "two.test": 200 }, ["two.test/outward-message"]],
    ["fails, and may have sent it", { "one.test": 500, "two.test": 200 }, []],
  ] as const
) {
  Deno.test(`sendOut() where the first companion ${what}: ${others.length} more are asked`, async () => {
    const { client, asked } = startClient(two, statuses);

    await client.sendOut(outward).catch(() => {}); // These companions answer with no status.

    assert.deepEqual(asked, ["one.test/outward-message", ...others]);
  });
}

Deno.test("invalidate() notifies every companion, and fails when one was not notified", async () => {
  const { client, asked } = startClient(two, { "two.test": 200 });

  await assert.rejects(client.invalidate(["alice"]), { code: 20503 });

  assert.deepEqual(asked, ["one.test/invalidate", "two.test/invalidate"]);
});

Deno.test("gatewaysChanged() notifies every companion", async () => {
  const { client, asked } = startClient(two, { "one.test": 200, "two.test": 200 });

  await client.gatewaysChanged();

  assert.deepEqual(asked, ["one.test/gateways", "two.test/gateways"]);
});

Deno.test("ready() is true while one companion answers", async () => {
  assert.equal(await startClient(two, { "two.test": 200 }).client.ready(), true);
  assert.equal(await startClient(two, { "two.test": 503 }).client.ready(), false);
});

Deno.test("companionFor() prefers the companion of the Client, then the one heard last", async () => {
  const states = [
    state("one", { seenAt: now() - 2 }),
    state("two", { seenAt: now() - 1 }),
    state("lost", { seenAt: now() - limits.companionLostMs - 1 }),
  ];
  const alice = { kind: "client", login: "alice" } as const;
  const chosen = async (ports: { companions: Companions; steadyNow(): number }) =>
    await companionFor({ target: alice, tenant: "AC1" }, await liveCompanions(ports), ports);
  const choose = async (holders: string[], among = states) =>
    (await chosen({ companions: known(among, holders), steadyNow: now }))?.id;

  assert.equal(await choose(["one"]), "one");
  assert.equal(await choose(["one", "two"]), "two");
  assert.equal(await choose([]), "two");
  assert.equal(await choose(["lost"]), "two");
  assert.equal(await choose([], []), undefined);
});

Deno.test("conference() requests the companion of the conference, and throws when that is out of reach", async () => {
  const { client, asked } = startClient(two, { "two.test": 200 });
  const order = { conferenceSid: `CF${"0".repeat(32)}`, order: { type: "end" } } as const;

  assert.equal(await client.conference(order, { id: "two" }), true);
  await assert.rejects(client.conference(order, { id: "one" }), { kind: "unavailable" });
  assert.deepEqual(asked, ["two.test/room", "one.test/room"]);
});

const readyOf = (id: string, runId: string, status = 200) => () =>
  Response.json({ ready: status === 200, companion: { id, runId } }, { status });

for (
  const [what, answer, seen] of [
    ["the same run", readyOf("one", "run of one"), "there"],
    ["another run", readyOf("one", "later"), "gone"],
    ["another companion", readyOf("two", "run of two"), "silent"],
    ["one that stops", readyOf("one", "run of one", 503), "silent"],
    ["what is no companion", () => new Response("?"), "silent"],
  ] as const
) {
  Deno.test(`look() finds a companion ${seen} where ${what} answers`, async () => {
    const client = companionClient({
      url: "http://expected.test",
      companions: known(two),
      secret: "secret",
      now,
      steadyNow: now,
      timeoutMs: 1_000,
      fetch: () => Promise.resolve(answerOf(answer())),
    });
    assert.equal(await client.look({ id: "one", runId: "run of one" }), seen);
  });
}

Deno.test("look() finds a companion gone when its address refuses, or has another run", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const client = companionClient({
    url: "http://expected.test",
    companions: known([state("one", { bridgeUrl: `http://127.0.0.1:${port}` })]),
    secret: "secret",
    now,
    steadyNow: now,
    timeoutMs: 200,
    fetch: async (request) => answerOf(await fetch(requestOf(request))),
  });
  const one = { id: "one", runId: "run of one" };

  assert.equal(await client.look(one), "silent");
  assert.equal(await client.look({ id: "one", runId: "an earlier one" }), "gone");
  listener.close();
  assert.equal(await client.look(one), "gone");
});

/** A companion whose answers wait until they are let go; `refused` legs spoil what they are part of. */
function slowCompanion(refused: string[] = []) {
  const asked: string[][] = [];
  const letGo = Promise.withResolvers<void>();
  const client = companionClient({
    url: "http://one.test",
    companions: known([state("one")]),
    secret: "secret",
    now,
    steadyNow: now,
    timeoutMs: 1_000,
    async fetch({ body }) {
      const content = JSON.parse(body);
      const legs: string[] = (content.orders ?? [content]).map((one: { leg: string }) => one.leg);
      asked.push(legs);
      await letGo.promise;
      if (legs.some((leg) => refused.includes(leg))) {
        return answerOf(new Response("", { status: 400 }));
      }
      const answer = { companion: { id: "one", runId: "run" } };
      const answers = legs.map((leg) => leg.endsWith("9") ? null : answer);
      return answerOf(Response.json(content.orders === undefined ? answer : { answers }));
    },
  });
  const legs = Array.from({ length: 12 }, (_, n) => `CA${String(n).padStart(32, "0")}`);
  return { client, asked, legs, letGo: () => letGo.resolve() };
}

Deno.test("run() has orders share a request while others are under way, and answers each", async () => {
  const { client, asked, legs, letGo } = slowCompanion();

  const running = Promise.allSettled(legs.map((leg) => client.run(leg, [], { at: state("one") })));
  letGo();
  const outcomes = (await running).map(({ status }) => status);

  assert.deepEqual(asked, [[legs[0]], [legs[1]], legs.slice(2)]);
  assert.deepEqual(outcomes, legs.map((leg) => leg.endsWith("9") ? "rejected" : "fulfilled"));
});

Deno.test("run() repeats refused orders one by one, and fails only the invalid one", async () => {
  const bad = `CA${"5".padStart(32, "0")}`;
  const { client, asked, legs, letGo } = slowCompanion([bad]);

  const running = Promise.allSettled(legs.map((leg) => client.run(leg, [], { at: state("one") })));
  letGo();
  const failed = (await running).flatMap(({ status }, at) =>
    status === "rejected" ? [legs[at]] : []
  );

  assert.deepEqual(failed, [bad]);
  assert.deepEqual(asked.slice(2), [legs.slice(2), ...legs.slice(2).map((leg) => [leg])]);
});

Deno.test("run() lets no order wait longer than a request without an answer", async () => {
  const { client, asked } = startClient(two, {});
  const orders = Array.from({ length: 40 }, () => client.run(leg, [], { at: { id: "one" } }));

  const failures = await Promise.all(orders.map((order) => order.catch((error) => error)));

  assert.ok(failures.every((error) => error instanceof Fault && error.code === 20503));
  assert.ok(asked.length <= 3, `${asked.length} requests`);
});
