import assert from "node:assert/strict";
import { readConfig } from "../../core/machine/configuration/config.ts";
import type { RequestRates } from "../../core/model/rest/rate_limits.ts";
import type { Answer } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";

async function limitedApp(rates: Partial<RequestRates>) {
  using ordinary = await startApp();
  const requestRates = { reads: 0, writes: 0, requests: 0, ...rates };
  return await startApp({ ports: { settings: { ...ordinary.ports.settings, requestRates } } });
}

const rateLimit = ({ headers }: Answer) => headers.get("RateLimit");
const policy = ({ headers }: Answer) => headers.get("RateLimit-Policy");

Deno.test("RateLimit counts down, and t says when the quota is whole again", async () => {
  using app = await limitedApp({ reads: 2, writes: 1 });

  const first = await app.root.get("Calls.json");
  assert.equal(policy(first), '"reads";q=20;w=10');
  assert.equal(rateLimit(first), '"reads";r=19;t=1');
  for (let n = 0; n < 9; n++) await app.root.get("Calls.json");
  assert.equal(rateLimit(await app.root.get("Calls.json")), '"reads";r=9;t=6');
  app.clock.now += 6_000;
  assert.equal(rateLimit(await app.root.get("Calls.json")), '"reads";r=19;t=1');
});

Deno.test("an account that has read too much still writes, and the other way round", async () => {
  using app = await limitedApp({ reads: 1, writes: 1 });
  const post = () => app.root.post("Applications.json", { FriendlyName: "ivr" });

  for (let n = 0; n < 10; n++) assert.equal((await app.root.get("Calls.json")).status, 200);
  assert.equal((await app.root.get("Calls.json")).status, 429);
  const written = await post();
  assert.equal(written.status, 200);
  assert.equal(rateLimit(written), '"writes";r=9;t=1');
  for (let n = 0; n < 9; n++) assert.equal((await post()).status, 200);
  assert.equal((await post()).status, 429);
  assert.equal((await app.root.delete("Applications/AP1.json")).status, 429);
  app.clock.now += 1_000;
  assert.equal((await app.root.get("Calls.json")).status, 200);
  assert.equal((await app.root.request("HEAD", "Calls.json")).status, 429);
});

Deno.test("Retry-After holds: a request after it is answered, and one before it is not", async () => {
  using app = await limitedApp({ writes: 1, requests: 3 });
  const post = () => app.root.post("Applications.json", { FriendlyName: "ivr" });
  while ((await post()).status === 200);

  for (let n = 0; n < 5; n++) {
    const refused = await post();
    const retryAfterS = Number(refused.headers.get("Retry-After"));
    assert.equal(refused.status, 429);
    assert.ok(rateLimit(refused)?.startsWith(`"writes";r=0;t=${retryAfterS}, "requests";r=2`));
    app.clock.now += retryAfterS * 1_000 - 1;
    assert.equal((await post()).status, 429);
    app.clock.now += 1;
    assert.equal((await post()).status, 200);
  }
});

Deno.test("a limit over both takes reads and writes alike, and a refusal takes of neither", async () => {
  using app = await limitedApp({ reads: 100, requests: 1 });

  for (let n = 0; n < 5; n++) {
    await app.root.get("Calls.json");
    await app.root.post("Applications.json", { FriendlyName: "ivr" });
  }
  const refused = await app.root.get("Calls.json");
  assert.equal(refused.status, 429);
  assert.equal(rateLimit(refused), '"reads";r=995;t=1, "requests";r=0;t=1');
  assert.equal(policy(refused), '"reads";q=1000;w=10, "requests";q=10;w=10');
});

Deno.test("without limits there are no RateLimit headers", async () => {
  using app = await limitedApp({});

  const answer = await app.root.get("Calls.json");

  assert.deepEqual([rateLimit(answer), policy(answer)], [null, null]);
});

Deno.test("REQUESTS_PER_SECOND alone is one limit over all requests, as before", () => {
  const rates = (env: Record<string, string>) => {
    const { REQUESTS_PER_SECOND, READS_PER_SECOND, WRITES_PER_SECOND } = readConfig((name) =>
      env[name]
    );
    return [REQUESTS_PER_SECOND, READS_PER_SECOND, WRITES_PER_SECOND];
  };
  assert.deepEqual(rates({}), ["", 1000, 1000]);
  assert.deepEqual(rates({ REQUESTS_PER_SECOND: "50" }), ["50", 0, 0]);
  assert.deepEqual(rates({ REQUESTS_PER_SECOND: "0" }), ["0", 0, 0]);
  assert.deepEqual(rates({ REQUESTS_PER_SECOND: "50", WRITES_PER_SECOND: "5" }), ["50", 0, 5]);
  assert.deepEqual(rates({ READS_PER_SECOND: "7" }), ["", 7, 1000]);
});
