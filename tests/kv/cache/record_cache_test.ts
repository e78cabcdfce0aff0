import assert from "node:assert/strict";
import type { AnyRecord } from "../../../core/model/resource.ts";
import { recordCache } from "../../../kv/cache/record_cache.ts";
import { keys } from "../../../kv/store/keys.ts";

const sid = "CA" + "1".repeat(32);
const recordOf = () => ({ sid, tags: ["a"] }) as unknown as AnyRecord;
const entry = { key: keys.record(1n, sid), value: new Uint8Array(1), versionstamp: "1" };
const never = () => assert.fail("It is in memory");

Deno.test("reading() freezes only the top level of a recently written record, or all of it for tests", () => {
  for (const freezesParts of [false, true]) {
    const cache = recordCache(1_000, { freezesParts });
    const record = recordOf();
    assert.equal(cache.reading({ ...entry, record }, never), record);
    assert.ok(Object.isFrozen(record));
    assert.equal(Object.isFrozen(record.tags), freezesParts);
  }
});

Deno.test("reading() freezes a cached record with its nested objects", () => {
  const cache = recordCache(1_000);
  const record = cache.reading(entry, recordOf);
  assert.throws(() => (record.tags as string[]).push("b"), TypeError);
  assert.equal(cache.reading(entry, never), record);
});
