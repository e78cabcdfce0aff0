import assert from "node:assert/strict";
import { mock } from "node:test";
import type { FollowOptions, RecordChange } from "../../../core/model/ports/change_feed.ts";
import { eventually } from "../../support/process/eventually.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const fields = { from: "+15550000001", to: "client:alice", status: "queued" } as const;

/** Changes that a feed delivers of an account. */
async function followed(lab: StoreLab, after: string | null = null, options = {}) {
  const told: RecordChange[] = [];
  let gaps = 0;
  let isOver = false;
  const take: FollowOptions = {
    after,
    take: (change) => void told.push(change),
    onGap: () => gaps++,
    onOver: () => isOver = true,
    ...options,
  };
  const following = await lab.store.changes.follow(lab.accountSid, take);
  return {
    told,
    following,
    gaps: () => gaps,
    isOver: () => isOver,
    /** Resolves when so many changes were delivered. */
    some: (count: number) =>
      eventually(
        `${count} changes are told`,
        () => Promise.resolve(told.length >= count ? true : undefined),
      ),
  };
}

const shown = (changes: RecordChange[]) =>
  changes.map(({ type, change, record }) => [
    type,
    change,
    (record as { status?: string } | null)?.status ?? null,
  ]);

const make = (lab: StoreLab) => lab.store.records.calls.insert({ record: lab.call(fields) });
const setStatus = (lab: StoreLab, sid: string, status: "ringing" | "in-progress" | "completed") =>
  lab.store.records.calls.update(
    lab.accountSid,
    sid,
    (record) => ({ record: { ...record, status } }),
  );

/** A store alone, and two instances on one. */
const stores: Record<string, () => Promise<AsyncDisposable & { here: StoreLab; there: StoreLab }>> =
  {
    "a store of its own": async () => {
      const lab = await storeLab();
      return {
        here: lab,
        there: lab,
        [Symbol.asyncDispose]: () => Promise.resolve(lab[Symbol.dispose]()),
      };
    },
    "a store of several instances": async () => {
      const endpoint = startKvConnect();
      const [here, there] = [await storeLab(endpoint.url), await storeLab(endpoint.url)];
      there.clock.now += 1_000; // Two clocks that begin alike would make equal Sids.
      return {
        here,
        there,
        async [Symbol.asyncDispose]() {
          here[Symbol.dispose]();
          there[Symbol.dispose]();
          await endpoint[Symbol.asyncDispose]();
        },
      };
    },
  };

for (const [name, open] of Object.entries(stores)) {
  Deno.test(`${name}: each change of an account's records is delivered in order, from any instance`, async () => {
    await using labs = await open();
    const { here, there } = labs;
    const feed = await followed(here);

    const call = await make(there);
    await setStatus(here, call.sid, "ringing");
    await setStatus(there, call.sid, "in-progress");
    await there.store.records.notifications.insert({
      record: there.notification({ callSid: call.sid }),
    });
    await here.store.records.calls.remove(here.accountSid, call.sid);
    await feed.some(5);

    assert.deepEqual(shown(feed.told), [
      ["call", "created", "queued"],
      ["call", "updated", "ringing"],
      ["call", "updated", "in-progress"],
      ["notification", "created", null],
      ["call", "deleted", null],
    ]);
    const ids = feed.told.map(({ id }) => id);
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, 5);
    feed.following.close();
  });

  Deno.test(`${name}: changes after an id are delivered first, and none twice`, async () => {
    await using labs = await open();
    const { here, there } = labs;
    const first = await followed(here);
    const calls = [await make(there), await make(here)];
    await first.some(2);
    first.following.close();
    await setStatus(there, calls[0]!.sid, "ringing");
    await setStatus(there, calls[0]!.sid, "completed");

    const second = await followed(here, first.told[0]!.id);
    assert.deepEqual(shown(second.following.earlier), [
      ["call", "created", "queued"],
      ["call", "updated", "ringing"],
      ["call", "updated", "completed"],
    ]);
    assert.ok(second.following.isWhole);
    await make(here);
    await second.some(1);
    assert.equal(second.told.length, 1);
    second.following.close();
  });

  Deno.test(`${name}: another account's changes are not delivered`, async () => {
    await using labs = await open();
    const { here, there } = labs;
    const other = "AC" + "2".repeat(32);
    const [owner] = await here.store.accounts.children("");
    await here.store.accounts.insert({
      record: {
        ...owner!,
        sid: other,
        ancestors: [owner!.sid],
        accountSid: owner!.sid,
        emailAddress: "other@example.com",
      },
    });
    const feed = await followed(here);
    await there.store.records.calls.insert({
      record: { ...there.call(fields), accountSid: other },
    });
    await make(there);
    await feed.some(1);
    assert.deepEqual(feed.told.map(({ record }) => record?.accountSid), [here.accountSid]);
    feed.following.close();
  });

  Deno.test(`${name}: all that follow learn that the feed ends`, async () => {
    await using labs = await open();
    const feed = await followed(labs.here);
    labs.here.store.changes.end();
    assert.ok(feed.isOver());
    feed.following.close();
  });
}

Deno.test("a store that was closed meanwhile delivers records that changed since, as they are now", async () => {
  await using file = await storeFile();
  let after: string;
  let old: string;
  {
    using lab = await storeLab(file.location);
    const feed = await followed(lab);
    old = (await make(lab)).sid;
    await feed.some(1);
    after = feed.told[0]!.id;
    const call = await make(lab);
    await setStatus(lab, call.sid, "completed");
    await setStatus(lab, old, "ringing");
    feed.following.close();
  }
  using lab = await storeLab(file.location);
  const feed = await followed(lab, after);
  assert.deepEqual(shown(feed.following.earlier), [
    ["call", "updated", "completed"],
    ["call", "updated", "ringing"],
  ]);
  assert.ok(feed.following.isWhole);
  assert.equal(feed.following.earlier[1]!.sid, old);
  const again = await followed(lab, feed.following.earlier[1]!.id);
  assert.deepEqual(again.following.earlier, []);
  feed.following.close();
  again.following.close();
});

Deno.test("a gap is reported once a thousand records of a kind are newer, as older ones may have changed", async () => {
  await using file = await storeFile();
  let after: string;
  {
    using lab = await storeLab(file.location);
    const feed = await followed(lab);
    await make(lab);
    await feed.some(1);
    after = feed.told[0]!.id;
    lab.clock.now += 1_000;
    await Promise.all(Array.from({ length: 1_001 }, () => make(lab)));
    feed.following.close();
  }
  using lab = await storeLab(file.location);
  const feed = await followed(lab, after);
  assert.equal(feed.following.earlier.length, 1_000);
  assert.equal(feed.following.isWhole, false);
  feed.following.close();
});

Deno.test("changes beyond the memory of an instance are found among the records", async () => {
  using lab = await storeLab();
  const feed = await followed(lab);
  const call = await make(lab);
  await feed.some(1);
  const long = "x".repeat(8_000);
  for (let n = 0; n < 800; n++) {
    await lab.store.records.notifications.insert({
      record: lab.notification({ callSid: call.sid, messageText: long }),
    });
  }
  await setStatus(lab, call.sid, "ringing");
  const again = await followed(lab, feed.told[0]!.id);
  assert.equal(again.following.earlier.length, 801);
  assert.deepEqual(shown(again.following.earlier.slice(-1)), [["call", "updated", "ringing"]]);
  assert.equal(again.following.earlier[0]!.change, "updated"); // Of the records: the log forgot them.
  feed.following.close();
  again.following.close();
});

Deno.test("a commit that an instance did not log is found by the versions of the lists", async () => {
  await using endpoint = startKvConnect();
  using here = await storeLab(endpoint.url);
  const timers = mock.timers;
  timers.enable({ apis: ["setInterval"] });
  try {
    const feed = await followed(here);
    await make(here);
    await feed.some(1);
    // A program without the log writes a record and the version of its list.
    const kv = await openDenoKv(endpoint.url);
    const [entry] = await Array.fromAsync(
      kv.list({ start: [1n, "CA"], end: [1n, "CA", ""] }, { limit: 1 }),
    );
    assert.ok(entry);
    await kv.atomic().set(entry.key, entry.value).set(["lv", 1n, "CA"], true).commit();
    kv.close();
    timers.tick(5_000);
    await feed.some(2);
    assert.deepEqual(shown(feed.told), [["call", "created", "queued"], [
      "call",
      "updated",
      "queued",
    ]]);
    feed.following.close();
  } finally {
    timers.reset();
  }
});
