import assert from "node:assert/strict";
import type { PresenceChanges } from "../../../core/protocol/registrations.ts";
import { presenceOf } from "../../../kv/collections/presence.ts";
import { storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import type { KeyValueStore, KvListSelector } from "../../../kv/store/key_value_store.ts";

const first = { id: "one", runId: "first" };
const news = (seq: number, changes: Partial<PresenceChanges> = {}): PresenceChanges => ({
  companion: first,
  seq,
  whole: false,
  came: [],
  went: [],
  registered: 0,
  ...changes,
});

/** A store with companions that have reported no registrations yet. */
async function startPresence() {
  const lab = await storeLab();
  const { companions } = lab.store;
  const runs = [first, { id: "one", runId: "second" }, { id: "two", runId: "other" }];
  return {
    companions,
    take: companions.takePresence,
    async holding(login: string) {
      const states = runs.map((run) => ({ ...run, seenAt: 0 }));
      return (await companions.holding(login, states)).map(({ runId }) => runId);
    },
    [Symbol.dispose]: lab[Symbol.dispose],
  };
}

Deno.test("takePresence() updates the registrations of each companion", async () => {
  using lab = await startPresence();

  await lab.take(news(0, { whole: true, came: ["alice", "bob"] }));
  await lab.take(
    news(0, { whole: true, came: ["alice"], companion: { id: "two", runId: "other" } }),
  );
  await lab.take(news(1, { came: ["carol"], went: ["bob"] }));

  assert.deepEqual(await lab.holding("alice"), ["first", "other"]);
  assert.deepEqual(await lab.holding("bob"), []);
  assert.deepEqual(await lab.holding("carol"), ["first"]);
});

Deno.test("takePresence() refuses changes when earlier ones are missing", async () => {
  using lab = await startPresence();

  assert.equal(await lab.take(news(3, { came: ["alice"] })), false);
  await lab.take(news(4, { whole: true }));
  assert.equal(await lab.take(news(6, { came: ["alice"] })), false);

  assert.deepEqual(await lab.holding("alice"), []);
  assert.equal(await lab.take(news(5, { came: ["alice"] })), true);
  assert.deepEqual(await lab.holding("alice"), ["first"]);
});

Deno.test("takePresence() recognizes repeats and late changes", async () => {
  using lab = await startPresence();
  const begun = news(0, { whole: true, came: ["alice"] });

  await lab.take(begun);
  await lab.take(news(1, { went: ["alice"] }));
  assert.equal(await lab.take(begun), true);
  assert.equal(await lab.take(news(1, { came: ["alice"] })), true);

  assert.deepEqual(await lab.holding("alice"), []);
});

Deno.test("takePresence() replaces all former registrations by a full report, however many", async () => {
  using lab = await startPresence();
  const many = Array.from({ length: 400 }, (_, i) => `login${i}`);

  await lab.take(news(0, { whole: true, came: many }));
  await lab.take(news(1, { came: many.map((login) => `${login}b`) }));
  await lab.take(news(2, { whole: true, came: ["alice"] }));

  const left = await Promise.all(["login0", "login399", "login399b", "alice"].map(lab.holding));
  assert.deepEqual(left, [[], [], [], ["first"]]);
});

Deno.test("holding() ignores the registrations of an earlier run", async () => {
  using lab = await startPresence();
  const { companions } = lab;

  await lab.take(news(0, { whole: true, came: ["alice"] }));
  const second = { id: "one", runId: "second" };
  assert.equal(await companions.hasPresence(second), false);
  await lab.take(news(0, { whole: true, came: ["bob"], companion: second }));

  assert.deepEqual([await lab.holding("alice"), await lab.holding("bob")], [[], ["second"]]);
  assert.equal(await companions.hasPresence(first), false);
  assert.equal(await lab.take(news(1, { came: ["carol"] })), false);
});

Deno.test("forget() removes the registrations of a companion that is gone", async () => {
  using lab = await startPresence();
  const { companions } = lab;
  await companions.beat({ ...first, seenAt: 0 });
  await lab.take(news(0, { whole: true, came: ["alice"] }));

  await companions.forget({ id: "one", runId: "second", seenAt: 0 });
  await companions.forget({ ...first, seenAt: -1 }); // It was heard since.
  assert.equal(await companions.hasPresence(first), true);
  await companions.forget({ ...first, seenAt: 0 });

  assert.equal(await companions.hasPresence(first), false);
  assert.deepEqual(await lab.holding("alice"), []);
});

/** A store in which something else happens right before entries are listed. */
function interrupted(kv: KeyValueStore, happens: () => Promise<unknown>): KeyValueStore {
  const kept = {
    get: kv.get.bind(kv),
    delete: kv.delete.bind(kv),
    atomic: kv.atomic.bind(kv),
    async *list(selector: KvListSelector) {
      await happens();
      yield* kv.list(selector);
    },
  };
  return kept as unknown as KeyValueStore;
}

Deno.test("takePresence() retains a full report that another request brought during its removals", async () => {
  using kv = await openDenoKv(":memory:");
  const presence = presenceOf(kv);
  const whole = news(1, { whole: true, came: ["alice"] });
  const late = presenceOf(interrupted(kv, () => presence.take(whole)));

  await presence.take(news(0, { whole: true, came: ["alice"] }));
  await late.take(whole);

  assert.equal(await presence.take(whole), true);
  assert.equal((await presence.holding("alice", [{ ...first, seenAt: 0 }])).length, 1);
});
