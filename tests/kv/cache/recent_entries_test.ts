import assert from "node:assert/strict";
import { mostDecoded, recentEntries } from "../../../kv/cache/recent_entries.ts";
import type { Read } from "../../../kv/store/reader.ts";

const key = ["u", "CL", "login", "alice"];
const nothing = { key, value: null, versionstamp: null };

/** Entries over a store whose reads the test answers, and counts. */
function startEntries() {
  const answers: ((entry: unknown) => void)[] = [];
  const read = () => new Promise((resolve) => answers.push(resolve));
  return { answers, ...recentEntries(read as Read, 1 << 20) };
}

Deno.test("a key without an entry is read once", async () => {
  const { read, answers } = startEntries();
  const first = read(key);
  answers[0]!(nothing);
  assert.equal((await first).versionstamp, null);

  assert.equal((await read(key)).versionstamp, null);
  assert.equal(answers.length, 1);
});

Deno.test("an entry that a commit makes is found where there was none", async () => {
  const { read, answers, made } = startEntries();
  const first = read(key);
  answers[0]!(nothing);
  await first;

  made({ sets: [{ key, value: ["AC", "CL"] }], deletes: [] }, "1");
  assert.equal((await read(key)).versionstamp, "1");
  made({ sets: [], deletes: [key] }, "2");
  const later = read(key);
  answers[1]!(nothing);
  assert.equal((await later).versionstamp, null);
  assert.equal(answers.length, 2);
});

Deno.test("many unique values stay in memory", async () => {
  const { read, answers, made } = startEntries();
  const keys = Array.from({ length: 1_000 }, (_, n) => ["u", "CL", "login", `phone ${n}`]);

  made({ sets: keys.map((key) => ({ key, value: ["AC", "CL"] })), deletes: [] }, "1");

  for (const key of keys) assert.equal((await read(key)).versionstamp, "1");
  assert.equal(answers.length, 0);
});

Deno.test("the last written records are cached as they are, of others their bytes", async () => {
  const { read, made } = startEntries();
  const value = new Uint8Array(10);
  const keyOf = (n: number) => [1n, "CA", new Uint8Array(16).fill(n % 256).fill(n >> 8, 0, 1)];
  for (let n = 0; n <= mostDecoded; n++) {
    made({ sets: [{ key: keyOf(n), value, record: { n } }], deletes: [] }, String(n));
  }

  const last = await read(keyOf(mostDecoded));
  assert.deepEqual(last.record, { n: mostDecoded });
  const first = await read(keyOf(0));
  assert.equal(first.record, undefined);
  assert.deepEqual(first.value, value);
});

Deno.test("a record that is seldom read is not cached, nor its former state", async () => {
  const { read, answers, made } = startEntries();
  const [key, value] = [[1n, "WD", new Uint8Array(16)], new Uint8Array(10)];
  made({ sets: [{ key, value, record: { status: "queued" } }], deletes: [] }, "1");
  assert.equal((await read(key)).versionstamp, "1");

  made(
    { sets: [{ key, value, record: { status: "sent" }, isSeldomRead: true }], deletes: [] },
    "2",
  );
  const later = read(key);
  answers[0]!({ key, value, versionstamp: "2" });
  assert.deepEqual(await later, { key, value, versionstamp: "2" });
  assert.equal(answers.length, 1);
});

Deno.test("a missing entry is not cached when a commit came meanwhile, or may have", async () => {
  for (const meanwhile of ["made", "doubt"] as const) {
    const entries = startEntries();
    const early = entries.read(key);
    if (meanwhile === "made") entries.made({ sets: [], deletes: [key] }, "1");
    else entries.doubt({ sets: [{ key, value: ["AC", "CL"] }], deletes: [] });
    entries.answers[0]!(nothing);
    await early;

    void entries.read(key);
    assert.equal(entries.answers.length, 2, meanwhile);
  }
});
