import assert from "node:assert/strict";
import { createRecent } from "../../sip/auth/recent.ts";

Deno.test("createRecent() has the latest entries, and forgets the older ones", () => {
  const recent = createRecent<number>(3);
  for (let at = 1; at <= 7; at++) recent.set(`${at}`, at);
  assert.deepEqual([5, 6, 7].map((at) => recent.get(`${at}`)), [5, 6, 7]);
  assert.equal(recent.get("3"), undefined);
});
