import assert from "node:assert/strict";
import { limits } from "../../../core/base/limits.ts";
import { accountTree } from "../../../kv/collections/accounts.ts";
import { committer } from "../../../kv/store/commit.ts";
import { mergedReader } from "../../../kv/store/reader.ts";
import { sealer } from "../../../kv/store/seal.ts";
import { accountCache } from "../../../kv/cache/account_cache.ts";
import type { Account } from "../../../core/model/resources/accounts.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const sid = "AC" + "1".repeat(32);
const account = {
  ...{ sid, status: "active", accountSid: "", ancestors: [] as string[] },
  emailAddress: "a@example.com",
} as unknown as Account;
const suspended = (account: Account) => ({ record: { ...account, status: "suspended" as const } });

/** Two instances of the service on one store, with one hand-moved clock. */
async function twoInstances() {
  const kv = await openDenoKv(":memory:");
  const clock = { now: 0 };
  const context = {
    kv,
    read: mergedReader(kv),
    committer: committer(kv, { checks: 10 }),
    seal: sealer("test"),
    now: () => clock.now,
    steadyNow: () => clock.now,
    stageCaused: () => Promise.resolve(),
  };
  const [here, there] = [accountTree(context), accountTree(context)];
  await here.insert({ record: { ...account, authToken: "token" } });
  return { here, there, clock, [Symbol.dispose]: () => kv.close() };
}

Deno.test("recent() shows a change at once when this instance made it", async () => {
  using instances = await twoInstances();
  const { here } = instances;
  await here.get(sid);
  assert.equal(here.recent(sid)?.status, "active");

  await here.update(sid, suspended);

  assert.equal(here.recent(sid), undefined);
  await here.get(sid);
  assert.equal(here.recent(sid)?.status, "suspended");
});

Deno.test("recent() shows a change within a second when another instance made it", async () => {
  using instances = await twoInstances();
  const { here, there, clock } = instances;
  await here.get(sid);
  await there.update(sid, suspended);

  clock.now += limits.accountRecentMs;

  assert.equal(here.recent(sid), undefined);
  assert.equal((await here.get(sid))?.status, "suspended");
});

Deno.test("reading() caches no account that was read while a write was under way", async () => {
  const cache = accountCache(() => 0);
  const read = Promise.withResolvers<Account | null>();
  const reading = cache.reading(sid, () => read.promise);

  cache.wrote(sid);
  read.resolve({ ...account });

  assert.equal((await reading)?.sid, sid);
  assert.equal(cache.get(sid), undefined);
});

Deno.test("get() drops the account that was read longest ago when there are too many", async () => {
  const cache = accountCache(() => 0);
  const read = () => Promise.resolve({ ...account });
  await cache.reading("first", read);
  for (let at = 0; at < limits.recentAccounts; at++) await cache.reading(`other ${at}`, read);

  assert.equal(cache.get("first"), undefined);
  assert.notEqual(cache.get(`other ${limits.recentAccounts - 1}`), undefined);
});

Deno.test("get() forgets an account when the clock was set back", async () => {
  const clock = { now: 10_000 };
  const cache = accountCache(() => clock.now);
  await cache.reading(sid, () => Promise.resolve({ ...account }));

  clock.now = 9_000;

  assert.equal(cache.get(sid), undefined);
});
