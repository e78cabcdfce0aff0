import assert from "node:assert/strict";
import { knownMax, readKnown } from "../.ci/again.ts";

Deno.test("few tests need a second try, and each is listed with its date and its cause", async () => {
  const known = await readKnown();
  assert.ok(known.length <= knownMax, `${known.length} tests need a second try: mend one of them`);
  for (const { name, since, cause } of known) {
    assert.ok(name.length > 0);
    assert.match(since, /^\d{4}-\d{2}-\d{2}$/, name);
    assert.ok(cause === null || cause.length > 20, name);
  }
});
