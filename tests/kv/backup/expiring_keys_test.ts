import assert from "node:assert/strict";
import { backUp } from "../../../kv/backup/back_up.ts";
import type { Snapshot } from "../../../kv/backup/snapshot.ts";
import { keys } from "../../../kv/store/keys.ts";

Deno.test("a backup leaves out SIP traces and cookies, which would not expire where it is restored", async () => {
  const folder = await Deno.makeTempDir();
  const [accountSid, callSid] = ["AC", "CA"].map((prefix) => prefix + "1".repeat(32));
  const snapshot: Snapshot = {
    total: 3,
    async *entries() {
      yield { key: keys.version, value: 5 };
      yield { key: keys.sipTrace(accountSid!, callSid!), value: new Uint8Array(3) };
      yield { key: keys.cookieSlot(accountSid!, 7), value: [] };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const description = {
    begunAt: 0,
    version: "0",
    store: "file" as const,
    secretKey: null,
    sealed: [],
    bridgeSecret: null,
    bucket: null,
  };
  const { entries } = await backUp({
    path: `${folder}/saved`,
    description,
    snapshot: () => Promise.resolve(snapshot),
    audio: `${folder}/none`,
    progress: { at: () => {}, over: () => {} },
    signal: new AbortController().signal,
  });
  await Deno.remove(folder, { recursive: true });
  assert.equal(entries, 1);
});
