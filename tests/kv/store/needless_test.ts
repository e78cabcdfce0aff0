import assert from "node:assert/strict";
import { recentEntries } from "../../../kv/cache/recent_entries.ts";
import { knownJobs } from "../../../kv/jobs/known_jobs.ts";
import { jobLimits } from "../../../kv/jobs/limits.ts";
import { ownQueue } from "../../../kv/jobs/own_queue.ts";
import { stageDone, stageJobs } from "../../../kv/jobs/queue.ts";
import { type Batch, emptyBatch, stageRaise } from "../../../kv/store/batch.ts";
import { committer } from "../../../kv/store/commit.ts";
import { eventually } from "../../support/process/eventually.ts";
import { mergedReader, type Read } from "../../../kv/store/reader.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import type { AtomicCheck, AtomicOperation, KvU64 } from "../../../kv/store/key_value_store.ts";

const key = [1n, "CA", new Uint8Array(16)];
const widest = [1n, "CA", "startTime"];

/** A committer of a store that no other process writes to, with what its commits had the store do. */
async function startCommitter() {
  const kv = await openDenoKv(":memory:");
  const done: string[] = [];
  let made = 0;
  const atomic = () => {
    const op = kv.atomic();
    made++;
    for (const name of ["check", "set", "delete", "max"] as const) {
      const own = op[name].bind(op) as (...args: unknown[]) => AtomicOperation;
      Object.assign(op, {
        [name]: (...args: unknown[]) => {
          done.push(name);
          own(...args);
          return op;
        },
      });
    }
    return op;
  };
  const counting = new Proxy(kv, {
    get: (_, name) => name === "atomic" ? atomic : Reflect.get(kv, name).bind(kv),
  });
  const known = knownJobs(counting);
  const recent = recentEntries(mergedReader(kv) as Read, 1 << 20);
  const commits = committer(counting, { checks: 100, followers: [known, recent] });
  const queue = ownQueue({ kv, committer: commits, known });
  await queue.start(0);
  return {
    kv,
    commits,
    queue,
    read: recent.read,
    /** Operations since the last call. */
    done: () => done.splice(0),
    /** Number of commits since the last call. */
    made() {
      const count = made;
      made = 0;
      return count;
    },
    [Symbol.dispose]: () => kv.close(),
  };
}

type Store = Awaited<ReturnType<typeof startCommitter>>;

/** Replaces a record as it was read. */
async function write({ commits, read }: Store, value: string, entry?: AtomicCheck) {
  return await commits.commit(replacing(entry ?? await read(key), value));
}

function replacing(entry: AtomicCheck, value: string): Batch {
  const batch = emptyBatch();
  batch.checks.push(entry);
  batch.sets.push({ key: entry.key, value: new TextEncoder().encode(value) });
  return batch;
}

const recordAt = (number: number) => [1n, "CA", new Uint8Array(16).fill(number)];

Deno.test("a commit has the store make only the checks that this process cannot prove", async () => {
  using store = await startCommitter();
  await write(store, "first", { key, versionstamp: null });
  assert.deepEqual(store.done(), ["check", "set"]);

  const before = await store.read(key);
  await write(store, "second");
  assert.deepEqual(store.done(), ["set"]);

  assert.equal(await write(store, "third", before), null, "it was read before the second");
  assert.equal(await write(store, "third", { key, versionstamp: null }), null, "it is there");
  assert.deepEqual(store.done(), [], "both are known to fail");
  const { value } = await store.kv.get<Uint8Array>(key);
  assert.equal(new TextDecoder().decode(value!), "second");
});

Deno.test("of two changes of one record that are committed at once, the second is refused", async () => {
  using store = await startCommitter();
  await write(store, "first", { key, versionstamp: null });
  const before = await store.read(key);

  const committed = await Promise.all([write(store, "a", before), write(store, "b", before)]);

  assert.deepEqual(committed.map((one) => one !== null), [true, false]);
  const { value } = await store.kv.get<Uint8Array>(key);
  assert.equal(new TextDecoder().decode(value!), "a");
});

Deno.test("a change of a record that is not as it was read has no others refused", async () => {
  using store = await startCommitter();
  const numbers = Array.from({ length: 20 }, (_, number) => number + 1);
  const made = numbers.map((number) =>
    store.commits.commit(replacing({ key: recordAt(number), versionstamp: null }, "made"))
  );
  const [first] = await Promise.all(made);
  assert.equal(store.made(), 1);
  const before = await Promise.all(numbers.map((number) => store.read(recordAt(number))));
  await store.commits.commit(replacing(before[7]!, "changed"));
  store.made();

  const changed = await Promise.all(
    before.map((entry) => store.commits.commit(replacing(entry, "changed again"))),
  );

  assert.ok(first);
  assert.deepEqual(changed.map((one) => one !== null), numbers.map((number) => number !== 8));
  assert.equal(store.made(), 1, "all others share a commit");
});

Deno.test("changes with proven checks share a commit, however many there are", async () => {
  using store = await startCommitter();
  const numbers = Array.from({ length: 150 }, (_, number) => number + 1);
  const write = async () => {
    const entries = await Promise.all(numbers.map((number) => store.read(recordAt(number))));
    await Promise.all(entries.map((entry) => store.commits.commit(replacing(entry, "written"))));
    return store.made();
  };
  const making = numbers.map((number) =>
    store.commits.commit(replacing({ key: recordAt(number), versionstamp: null }, "made"))
  );
  assert.ok((await Promise.all(making)).every((one) => one !== null));
  assert.equal(store.made(), 2, "the store makes 100 checks at most");

  assert.equal(await write(), 1);
});

Deno.test("long records that are changed at once take as few commits as Deno KV allows", async () => {
  using store = await startCommitter();
  const text = "x".repeat(60_000);
  const numbers = Array.from({ length: 40 }, (_, number) => number + 1);

  const made = await Promise.all(
    numbers.map((number) =>
      store.commits.commit(replacing({ key: recordAt(number), versionstamp: null }, text))
    ),
  );

  assert.ok(made.every((one) => one !== null));
  assert.equal(store.made(), 4, "800 KiB each");
});

Deno.test("the end of a job is not checked where this process holds the job", async () => {
  using store = await startCommitter();
  const batch = emptyBatch();
  stageJobs(batch, [{ kind: "test", lane: "lane", args: "one", dueAt: 0 }], {
    now: () => 0,
    steadyNow: () => 0,
  });
  await store.commits.commit(batch);
  const lane = { name: "lane", dueAt: 0 };
  const claim = {
    now: 10,
    most: 1,
    owner: "me",
    leaseMs: 1_000,
    isBusy: () => false,
    isHeld: () => false,
  };
  const { held: [held] } = await store.queue.claim(lane, claim);
  store.done();

  const end = async () => {
    const batch = emptyBatch();
    stageDone(batch, held!);
    return await store.commits.commit(batch);
  };
  assert.notEqual(await end(), null);
  assert.deepEqual(store.done().filter((name) => name !== "set"), ["delete"]);
  assert.equal(await end(), null, "it has ended");
});

Deno.test("the widest distance of a date is raised when it grows, and after it was removed", async () => {
  using store = await startCommitter();
  const raise = async (to: number) => {
    const batch = emptyBatch();
    batch.sets.push({ key: ["other"], value: to });
    stageRaise(batch, widest, to);
    await store.commits.commit(batch);
    return store.done().includes("max");
  };
  const value = async () => Number((await store.kv.get<KvU64>(widest)).value?.value);

  assert.deepEqual([await raise(5), await raise(5), await raise(3), await raise(8)], [
    true,
    false,
    false,
    true,
  ]);
  assert.equal(await value(), 8);

  const batch = emptyBatch();
  batch.deletes.push(widest);
  await store.commits.commit(batch);
  assert.equal(await raise(2), true);
  assert.equal(await value(), 2);
});

Deno.test("commits that follow each other at once do not each note which jobs are performed", async () => {
  using store = await startCommitter();
  const noted = async () => (await store.kv.get<[string, number][]>(["q", "r"])).value?.length ?? 0;
  const jobs = Array.from({ length: 40 }, (_, n) => ({
    kind: "test",
    lane: "lane",
    args: n,
    dueAt: 0,
  }));
  const batch = emptyBatch();
  stageJobs(batch, jobs, { now: () => 0, steadyNow: () => 0 });
  await store.commits.commit(batch);
  const lane = { name: "lane", dueAt: 0 };
  store.done();

  const startedAt = performance.now();
  for (let n = 0; n < jobs.length; n++) {
    const claim = {
      now: 10,
      most: 1,
      owner: "me",
      leaseMs: 1_000,
      isBusy: () => false,
      isHeld: () => false,
    };
    await store.queue.claim(lane, claim);
    await store.commits.commit(emptyBatch());
  }
  const mostNotes = 2 + (performance.now() - startedAt) / jobLimits.noteMs;

  assert.ok(store.done().length <= mostNotes);
  await eventually("all are noted", async () => await noted() === jobs.length);
});
