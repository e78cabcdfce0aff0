import assert from "node:assert/strict";
import type { Cookie } from "../../../core/base/cookies.ts";
import type { CookieOwner } from "../../../core/model/ports/ports.ts";
import { keys } from "../../../kv/store/keys.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { storeFile, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const hour = 3_600_000;

const cookie = (value: string): Cookie[] => [
  { name: "a", value, path: "/", isSecure: false, endsAt: null },
];

const owner: CookieOwner = {
  tenant: "AC1",
  accountSid: "AC2",
  host: "app.test",
  from: "+1",
  to: "+2",
  callSid: null,
};

const values = (cookies: readonly Cookie[]) => cookies.map(({ value }) => value).join();

const places: Record<string, (test: (location?: string) => Promise<void>) => Promise<void>> = {
  "a file": (test) => test(),
  async "a shared store"(test) {
    await using endpoint = startKvConnect();
    await test(endpoint.url);
  },
};

for (const [place, at] of Object.entries(places)) {
  Deno.test(`cookies in ${place} are their owner's alone, for four hours after their use`, () =>
    at(async (location) => {
      using lab = await storeLab(location);
      const { store: { cookies }, clock } = lab;
      await cookies.change(owner, () => cookie("mine"));
      const others: Partial<CookieOwner>[] = [
        { tenant: "AC9" },
        { accountSid: "AC9" },
        { host: "app.test:8080" },
        { from: "+2", to: "+1" },
        { to: "+3" },
      ];
      for (const other of others) {
        assert.deepEqual(await cookies.get({ ...owner, ...other }), [], JSON.stringify(other));
      }
      for (let used = 0; used < 4; used++) {
        clock.now += 3 * hour;
        assert.equal(values(await cookies.get(owner)), "mine");
      }
      clock.now += 4 * hour;
      assert.deepEqual(await cookies.get(owner), []);
      await cookies.change(owner, (kept) => [...kept, ...cookie("new")]);
      assert.equal(values(await cookies.get(owner)), "new");
      await cookies.change(owner, () => []);
      assert.deepEqual(await cookies.get(owner), []);
    }));
}

Deno.test("a call keeps its cookies for its length, and no other call or text does", async () => {
  using lab = await storeLab();
  const { store: { cookies }, clock } = lab;
  const call = { ...owner, callSid: "CA1" };
  await cookies.change(owner, () => cookie("of the text before"));
  assert.equal(values(await cookies.get(call)), "of the text before");
  clock.now += 10 * hour;
  assert.deepEqual(await cookies.get(owner), []);
  assert.deepEqual(await cookies.get({ ...owner, callSid: "CA2" }), []);
  assert.equal(values(await cookies.get(call)), "of the text before");
});

Deno.test("concurrent changes of cookies are all stored", async () => {
  using lab = await storeLab();
  const { cookies } = lab.store;
  await Promise.all(
    ["1", "2", "3", "4", "5"].map((value) =>
      cookies.change(owner, (kept) => [...kept, ...cookie(value)])
    ),
  );
  const kept = await cookies.get(owner);
  assert.equal(kept.map(({ value }) => value).toSorted().join(), "1,2,3,4,5");
});

Deno.test("the cookies of a tenant are bounded, and cost another tenant none", async () => {
  using lab = await storeLab();
  const { cookies } = lab.store;
  const other = { ...owner, tenant: "AC3" };
  await cookies.change(other, () => cookie("other"));
  const big = cookie("x".repeat(4_000));
  const owners = Array.from({ length: 6_000 }, (_, n) => ({ ...owner, from: `+1${n}` }));
  for (const one of owners) await cookies.change(one, () => big);
  let left = 0;
  for (const one of owners) left += (await cookies.get(one)).length;
  assert.ok(left > 1_024 && left <= 3 * 1_024, String(left));
  assert.equal(values(await cookies.get(owners.at(-1)!)).length, 4_000);
  assert.equal(values(await cookies.get(other)), "other");
});

Deno.test("cookies are sealed at rest", async () => {
  await using file = await storeFile();
  const lab = await storeLab(file.location);
  await lab.store.cookies.change({ ...owner, from: "+12025550199" }, () => cookie("s3cret"));
  lab.store.close();
  using kv = await openDenoKv(file.location);
  const [entry, ...others] = await Array.fromAsync(kv.list({ prefix: keys.allCookies }));
  assert.ok(entry !== undefined && others.length === 0);
  assert.doesNotMatch(JSON.stringify(entry), /s3cret|2025550199|app\.test/);
});

Deno.test("an erasure removes the cookies of its subject", async () => {
  using lab = await storeLab();
  const { cookies } = lab.store;
  const ends = [["+1", "+2"], ["+2", "+1"], ["+3", "+2"]] as const;
  for (const [from, to] of ends) await cookies.change({ ...owner, from, to }, () => cookie(from));
  await cookies.erase({ tenant: "AC1", accountSid: "AC9" }, () => true);
  await cookies.erase({ tenant: "AC1", accountSid: "AC2" }, (end) => end === "+1");
  const left = await Promise.all(
    ends.map(async ([from, to]) => values(await cookies.get({ ...owner, from, to }))),
  );
  assert.deepEqual(left, ["", "", "+3"]);
});
