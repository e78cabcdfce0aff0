import assert from "node:assert/strict";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made } from "../support/service/hand_companion.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";

const call = (account: ApiClient) =>
  account.post("Calls.json", { From: "me", To: "client:bob", Url: "https://app.test/voice" });

/** The same account at another service. */
const at = (app: App, account: ApiClient) =>
  app.root.with({ sid: account.sid, user: account.user, token: account.token });

Deno.test("two services on one store make no more calls together than a limit allows", async () => {
  await using endpoint = startKvConnect();
  const { url: location } = endpoint;
  using here = await startApp({ shared: { location, instance: 0 } });
  using there = await startApp({ shared: { location, instance: 1 } });
  const tenant = await here.subAccount(here.root, "tenant");
  const below = await here.subAccount(tenant, "below");
  await made(here.root.with({ sid: tenant.sid }), "Limits", { MaxConcurrentCalls: "9" });
  const places = [tenant, at(there, tenant), below, at(there, below)];

  const answers = await Promise.all(
    places.flatMap((place) => Array.from({ length: 15 }, () => call(place))),
  );
  const made200 = answers.filter(({ status }) => status === 200);
  assert.equal(made200.length, 9);
  assert.ok(answers.every(({ status }) => status === 200 || status === 429));
  for (const app of [here, there]) {
    assert.equal((await at(app, tenant).get("Limits.json")).json().concurrent_calls, 9);
  }

  const ends = made200.slice(0, 4).map(async (one, n) => {
    const { sid, account_sid } = one.json();
    const leg = companionOf(n % 2 === 0 ? here : there, sid, account_sid);
    await leg.report({ type: "ended", outcome: "busy" });
    await leg.repeat();
  });
  await Promise.all(ends);
  assert.equal((await tenant.get("Limits.json")).json().concurrent_calls, 5);
  const again = await Promise.all(places.flatMap((place) => [call(place), call(place)]));
  assert.equal(again.filter(({ status }) => status === 200).length, 4);
});

Deno.test("a limit that one service lowers is in force at the other at once", async () => {
  await using endpoint = startKvConnect();
  const { url: location } = endpoint;
  using here = await startApp({ shared: { location, instance: 0 } });
  using there = await startApp({ shared: { location, instance: 1 } });
  const tenant = await here.subAccount(here.root, "tenant");
  const limits = here.root.with({ sid: tenant.sid });
  await made(limits, "Limits", { MaxConcurrentCalls: "3" });
  assert.equal((await call(at(there, tenant))).status, 200);
  await made(limits, "Limits", { MaxConcurrentCalls: "1" });
  assert.equal((await call(at(there, tenant))).status, 429);
});
