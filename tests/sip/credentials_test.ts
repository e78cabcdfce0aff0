import assert from "node:assert/strict";
import type { Credentials } from "../../core/bridge.ts";
import { createCredentialsCache } from "../../sip/credentials.ts";
import { sipLimits } from "../../sip/limits.ts";
import { handClock } from "../support/hand_clock.ts";

const known = (allowed: boolean): Credentials => ({
  accountSid: `AC${"0".repeat(32)}`,
  clientSid: `CL${"0".repeat(32)}`,
  ha1: { md5: "", sha256: "" },
  allowed,
});

function startCache() {
  const clock = handClock();
  const asked: ((found: Credentials | null) => void)[] = [];
  const service = {
    credentials: () => new Promise<Credentials | null>((resolve) => asked.push(resolve)),
  };
  return { clock, asked, cache: createCredentialsCache(service, clock.now) };
}

Deno.test("lookup() asks again when the login changed while it was asked for", async () => {
  const { asked, cache } = startCache();

  const found = cache.lookup("alice");
  cache.forget("alice");
  asked[0]!(known(true));
  await Promise.resolve();
  const later = cache.lookup("alice");
  asked[1]!(known(false));

  assert.equal((await found)?.allowed, false);
  assert.equal((await later)?.allowed, false);
  assert.equal(asked.length, 2);
});

Deno.test("lookup() asks again when an answer is old, sooner for nobody", async () => {
  const { asked, cache, clock } = startCache();
  const alice = cache.lookup("alice");
  const nobody = cache.lookup("nobody");
  asked[0]!(known(true));
  asked[1]!(null);
  await Promise.all([alice, nobody]);

  clock.advance(sipLimits.unknownLoginTtlMs);
  void cache.lookup("alice");
  void cache.lookup("nobody");
  assert.equal(asked.length, 3);
  clock.advance(sipLimits.credentialsTtlMs - sipLimits.unknownLoginTtlMs);
  void cache.lookup("alice");

  assert.equal(asked.length, 4);
});
