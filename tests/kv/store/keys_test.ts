import assert from "node:assert/strict";
import { ordOf, sidOf } from "../../../kv/store/keys.ts";

Deno.test("ordOf() keeps Sids apart that share memory, and takes one of any length", () => {
  const sids = Array.from({ length: 300 }, (_, n) => "CA" + n.toString(16).padStart(32, "0"));
  const ords = sids.map(ordOf);
  assert.deepEqual(ords.map((ord) => sidOf("CA", [1n, "CA", ord])), sids);

  const long = "CA" + "ab".repeat(5_000);
  assert.equal(sidOf("CA", [1n, "CA", ordOf(long)]), long);
  for (const short of ["CA", "C", ""]) assert.equal(ordOf(short).length, 0);
  assert.throws(() => ordOf("CAxyz"));
  assert.deepEqual(ords.map((ord) => sidOf("CA", [1n, "CA", ord])), sids);
});
