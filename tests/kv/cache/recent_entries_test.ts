import assert from "node:assert/strict";
import { recentEntries } from "../../../kv/cache/recent_entries.ts";
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

Deno.test("a read that finds nothing is not remembered when a commit came meanwhile, or may have", async () => {
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
