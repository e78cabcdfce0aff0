import assert from "node:assert/strict";
import type { Credentials } from "../../../core/protocol/companion.ts";
import { createCredentialsCache } from "../../../sip/auth/credentials.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { handClock } from "../../support/process/hand_clock.ts";

const known = (allowed: boolean): Credentials => ({
  accountSid: `AC${"0".repeat(32)}`,
  clientSid: `CL${"0".repeat(32)}`,
  ha1: { md5: "", sha256: "" },
  allowed,
});

function startCache() {
  const clock = handClock();
  const asked: ((found: Credentials | null) => void)[] = [];
  const outage = { isOn: false };
  const service = {
    credentials: () =>
      outage.isOn
        ? Promise.reject(new Error("outage"))
        : new Promise<{ credentials: Credentials | null }>((resolve) =>
          asked.push((credentials) => resolve({ credentials }))
        ),
  };
  return { clock, asked, outage, cache: createCredentialsCache(service, clock.now) };
}

Deno.test("lookup() repeats its query when the login changes while it is under way", async () => {
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

Deno.test("lookup() repeats its query when the answer is old, sooner for an unknown login", async () => {
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

Deno.test("known() returns a fresh answer without a query", async () => {
  const { asked, cache, clock } = startCache();
  const tell = () => [cache.known("alice"), cache.known("nobody")];
  const lookups = [cache.lookup("alice"), cache.lookup("nobody")];
  const before = tell();
  asked[0]!(known(true));
  asked[1]!(null);
  await Promise.all(lookups);

  const fresh = tell();
  clock.advance(sipLimits.unknownLoginTtlMs);
  const later = tell();
  cache.forget("alice");

  assert.deepEqual(before, [undefined, undefined]);
  assert.deepEqual(fresh, [known(true), null]);
  assert.deepEqual(later, [known(true), undefined]);
  assert.deepEqual(tell(), [undefined, undefined]);
  assert.equal(asked.length, 2);
});

Deno.test("lookup() keeps an answer through an outage, for a while and until it is forgotten", async () => {
  const { asked, cache, clock, outage } = startCache();
  for (const login of ["alice", "bob"]) {
    const found = cache.lookup(login);
    asked.at(-1)!(known(true));
    await found;
  }
  outage.isOn = true;
  clock.advance(sipLimits.credentialsTtlMs);

  assert.equal((await cache.lookup("alice"))?.allowed, true);
  await assert.rejects(cache.lookup("carol"), /outage/);
  cache.forget("bob");
  await assert.rejects(cache.lookup("bob"), /outage/);
  clock.advance(sipLimits.credentialsGraceMs - sipLimits.credentialsTtlMs - 1);
  assert.equal((await cache.lookup("alice"))?.allowed, true);
  clock.advance(1);
  await assert.rejects(cache.lookup("alice"), /outage/);
  outage.isOn = false;
  const again = cache.lookup("alice");
  asked.at(-1)!(known(false));

  assert.equal((await again)?.allowed, false);
});
