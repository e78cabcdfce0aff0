import assert from "node:assert/strict";
import type { AnyRecord } from "../../../core/model/resource.ts";
import { recordCache } from "../../../kv/cache/record_cache.ts";
import { recordCodec } from "../../../kv/records/record_codec.ts";
import { type Stored } from "../../../kv/cache/record_cache.ts";
import { sealer } from "../../../kv/store/seal.ts";

const fields = ["sid", "accountSid", "dateCreated", "dateUpdated", "name", "password", "tags"];
const recordOf = (changes: Record<string, unknown> = {}): AnyRecord => ({
  sid: "CA" + "0".repeat(32),
  accountSid: "AC" + "1".repeat(32),
  dateCreated: 1,
  dateUpdated: 2.5,
  name: null,
  password: "secret",
  tags: ["a"],
  ...changes,
});

const codecFor = (fields: string[], bytes = 1_000_000) =>
  recordCodec({
    fields,
    secret: ["password"],
    seal: sealer("key"),
    cache: recordCache(bytes),
  });
const codec = codecFor(fields);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const entryOf = (value: unknown, versionstamp = "1", last = 0): Stored => ({
  key: [1n, "CA", new Uint8Array(16).fill(last)],
  value,
  versionstamp,
});

Deno.test("decode() takes a record that was stored before there was a secret field", () => {
  const { password: _, ...older } = recordOf();
  const value = codecFor(fields.filter((name) => name !== "password" && name !== "tags"))
    .encode({ ...older, tags: undefined } as unknown as AnyRecord);
  const { tags: __, ...known } = older;
  assert.deepEqual(codec.decode(entryOf(codec.encode(known as AnyRecord))), known);
  assert.equal(codec.decode(entryOf(value)).password, undefined);
});

Deno.test("decode() gives back every kind of record that encode() took", () => {
  const whole = recordOf({ name: "\ud800 \0 日本 \"'" });
  const lacking = recordOf();
  delete lacking.tags;
  const records = [
    whole,
    lacking,
    recordOf({ tags: undefined, later: { deep: [1, null] } }),
    recordOf({ name: "日".repeat(31_000) }),
  ];
  for (const record of records) {
    const stored = codec.encode(record);
    const text = stored instanceof Uint8Array ? textOf(stored) : JSON.stringify(stored);
    assert.ok(!text.includes("secret"));
    const expected = Object.fromEntries(
      Object.entries(record).filter(([, one]) => one !== undefined),
    );
    assert.deepEqual(codec.decode(entryOf(stored)), expected);
  }
  const [compact, named] = [whole, lacking].map((one) => codec.encode(one) as Uint8Array);
  assert.equal(textOf(compact!).includes("accountSid"), false);
  assert.equal(textOf(named!).includes("accountSid"), true);
});

Deno.test("decode() reads a record that was stored before its resource had a further field", () => {
  const stored = codec.encode(recordOf());
  assert.deepEqual(codecFor([...fields, "later"]).decode(entryOf(stored)), recordOf());
});

Deno.test("encode() retains fields that only a later program can name", () => {
  const [now, later] = [codec, codecFor([...fields, "later"])];
  const stored = later.encode(recordOf({ later: "kept" }));
  const changed = now.encode({ ...now.decode(entryOf(stored)), dateUpdated: 9 });
  const expected = recordOf({ dateUpdated: 9, later: "kept" });
  assert.deepEqual(later.decode(entryOf(changed)), expected);
});

Deno.test("recall() gives the same frozen record until the entry is written again", () => {
  const codec = codecFor(fields);
  const [stored, changed] = [recordOf(), recordOf({ name: "new" })].map(codec.encode);
  const first = codec.recall(entryOf(stored));
  assert.equal(codec.recall(entryOf(stored)), first);
  assert.throws(() => (first.tags as string[]).push("b"), TypeError);
  assert.equal(codec.recall(entryOf(changed, "2")).name, "new");
  assert.equal(
    codec.recall({ ...entryOf(stored), key: [2n, ...entryOf(0).key.slice(1)] }).name,
    null,
  );
});

Deno.test("recall() keeps few of the records for which others would have to go", () => {
  const stored = codec.encode(recordOf()) as Uint8Array;
  const codecOfFew = codecFor(fields, stored.length * 8);
  const recall = (number: number) => codecOfFew.recall(entryOf(stored, "1", number));
  const first = recall(0);
  const others = Array.from({ length: 40 }, (_, at) => recall(at + 1));
  assert.equal(recall(0), first);
  assert.ok(others.filter(Object.isFrozen).length < 10);

  for (let number = 1_000; number < 1_200; number++) recall(number);
  assert.notEqual(recall(0), first);
});
