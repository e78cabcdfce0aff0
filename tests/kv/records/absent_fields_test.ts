import assert from "node:assert/strict";
import { z } from "zod";
import type { AnyRecord, AnyResource } from "../../../core/model/resource.ts";
import { recordCache } from "../../../kv/cache/record_cache.ts";
import { completing } from "../../../kv/records/absent_fields.ts";
import { recordCodec } from "../../../kv/records/record_codec.ts";
import { sealer } from "../../../kv/store/seal.ts";

const base = { sid: "XX1", accountSid: "AC1", dateCreated: 1, dateUpdated: 2 };
const names = Object.keys(base);

const definition = {
  fields: {
    name: z.string(),
    method: z.enum(["GET", "POST"]),
    url: z.string().nullable(),
    count: z.number(),
    kind: z.enum(["voice", "sms"]),
    note: z.string().optional(),
  },
  defaults: { method: "POST" },
} as Partial<AnyResource> as AnyResource;

const codecOf = (fields: string[]) =>
  recordCodec({
    fields,
    secret: [],
    seal: sealer("lab"),
    cache: recordCache(1),
    complete: completing(definition),
  });

const entryOf = (value: unknown) => ({ key: ["k"], value, versionstamp: "1" });

Deno.test("a record from before fields were declared has their defaults, null or an empty value", () => {
  const before = codecOf([...names, "name"]);
  const record = { ...base, name: "Ann" } as AnyRecord;
  const entry = entryOf(before.encode(record));

  const now = codecOf([...names, ...Object.keys(definition.fields)]);

  const completed = { ...record, method: "POST", url: null, count: 0, kind: "voice" };
  assert.equal(now.form(entry), "short");
  assert.deepEqual(now.decode(entry), completed);
  assert.deepEqual(before.decode(entry), record);
});

Deno.test("a record that was written without some fields on purpose is completed by a migration alone", () => {
  const codec = codecOf([...names, ...Object.keys(definition.fields)]);
  const record = { ...base, name: "Ann", method: "GET" } as AnyRecord;
  const entry = entryOf(codec.encode(record));

  assert.equal(codec.form(entry), "named");
  assert.deepEqual(codec.decode(entry), record);
  const completed = { ...record, url: null, count: 0, kind: "voice" };
  assert.deepEqual(codec.decodeWhole(entry), completed);
});
