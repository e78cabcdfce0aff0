import assert from "node:assert/strict";
import { recentChanges } from "../../../kv/changes/recent_changes.ts";
import { emptyBatch } from "../../../kv/store/batch.ts";
import type { Writes } from "../../../kv/store/commit_record.ts";
import { keys } from "../../../kv/store/keys.ts";

const account = 1n;

const versionAt = (at: number) => String(at).padStart(20, "0");
const sidAt = (at: number) => `CA${String(at).padStart(32, "0")}`;

/** A commit that makes a call whose value takes so many bytes. */
const commitOf = (at: number, bytes: number): Writes => ({
  ...emptyBatch(),
  sets: [{ key: keys.record(account, sidAt(at)), value: new Uint8Array(bytes) }],
  moved: [],
});

Deno.test("recentChanges() retains at least half of its bytes, and reports what it dropped", () => {
  const changes = recentChanges(1 << 20);
  for (let at = 1; at <= 5_000; at++) changes.made(commitOf(at, 1_000), versionAt(at));
  const knownFrom = (at: number) => changes.since(account, versionAt(at))?.length ?? null;

  assert.equal(knownFrom(5_000 - 325), 326);
  assert.equal(knownFrom(5_000 - 660), null);
  assert.equal(knownFrom(1), null);
  assert.equal(changes.last(), versionAt(5_000));
});

Deno.test("recentChanges() retains a commit that is larger than its bytes until the next ones", () => {
  const changes = recentChanges(10_000);
  changes.made(commitOf(1, 20_000), versionAt(1));
  assert.equal(changes.since(account, versionAt(1))?.length, 1);

  for (let at = 2; at <= 3; at++) changes.made(commitOf(at, 9_000), versionAt(at));
  assert.equal(changes.since(account, versionAt(1)), null);
  assert.equal(changes.since(account, versionAt(2))?.length, 2);
});

Deno.test("recentChanges() has no commit in doubt, also when it drops older ones", () => {
  const changes = recentChanges(1 << 20);
  for (let at = 1; at <= 300; at++) changes.made(commitOf(at, 1_000), versionAt(at));
  changes.doubt(commitOf(301, 1_000));
  assert.equal(changes.since(account, versionAt(250)), null);

  for (let at = 302; at <= 950; at++) changes.made(commitOf(at, 1_000), versionAt(at));

  assert.equal(changes.since(account, versionAt(250)), null);
  assert.equal(changes.since(account, versionAt(940))?.length, 11);
});
