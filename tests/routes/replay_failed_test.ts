import assert from "node:assert/strict";
import { type App } from "../support/service/app.ts";
import { consoleClient, startConsole } from "../support/service/console_client.ts";
import { makeSample } from "../support/service/samples.ts";

const hour = Date.UTC(2024, 0, 31, 11);

/** Deliveries of the root account: failed within the hour, outside of it, and delivered. */
async function makeDeliveries(app: App) {
  const sids: Record<string, string> = {};
  const made = { failed: hour, last: hour + 3_599_999, before: hour - 1, after: hour + 3_600_000 };
  for (const [name, startTime] of Object.entries({ ...made, delivered: hour })) {
    const sid = await makeSample(app, app.root, { name: "deliveries" });
    const status = name === "delivered" ? "delivered" as const : "failed" as const;
    await app.ports.records.deliveries.update(app.root.sid, sid, (record) => ({
      record: { ...record, status, startTime },
    }));
    sids[name] = sid;
  }
  return sids;
}

const statusOf = async (app: App, sid: string) =>
  (await app.root.get(`Webhooks/Deliveries/${sid}.json`)).json().status;

Deno.test("POST …/Webhooks/Deliveries sends the failed Deliveries of an hour again, those of others not", async () => {
  using app = await startConsole({ madeUpWebhooks: true });
  const sub = await app.subAccount(app.root, "dev");
  const sids = await makeDeliveries(app);
  const form = { Replay: "failed", StartTime: "2024-01-31T12:00:00+01:00" };
  assert.equal((await sub.post("Webhooks/Deliveries.json", form)).json().count, 0);
  await app.runJobs();
  assert.equal(app.fetched.length, 0);

  app.clock.now += 1_000;
  const asked = await app.root.post("Webhooks/Deliveries.json", form);
  assert.deepEqual(asked.json(), {
    account_sid: app.root.sid,
    start_time: "2024-01-31T11:00:00.000Z",
    end_time: "2024-01-31T12:00:00.000Z",
    count: 2,
  });
  await app.runJobs();
  assert.equal(app.fetched.length, 2);
  assert.equal(await statusOf(app, sids.failed!), "delivered");
  assert.equal(await statusOf(app, sids.last!), "delivered");
  assert.equal(await statusOf(app, sids.before!), "failed");
  assert.equal(await statusOf(app, sids.after!), "failed");
  const [entry] = (await app.root.get("AuditEntries.json")).json().audit_entries;
  assert.deepEqual([entry.action, entry.target], ["replay-failed", "Webhooks/Deliveries"]);

  for (const wrong of [{ Replay: "all", StartTime: form.StartTime }, { Replay: "failed" }]) {
    assert.equal((await app.root.post("Webhooks/Deliveries.json", wrong)).status, 400);
  }
});

Deno.test("a Delivery that fails again is not sent a third time by the same replay", async () => {
  using app = await startConsole({ madeUpWebhooks: true });
  const sids = await makeDeliveries(app);
  app.answers = () => new Response(null, { status: 500 });
  app.clock.now += 1_000;
  app.ports.settings.webhookMaxAttempts = 1;
  await app.root.post("Webhooks/Deliveries.json", {
    Replay: "failed",
    StartTime: "2024-01-31T11:00:00Z",
  });
  await app.runJobs();
  assert.equal(app.fetched.length, 2);
  assert.equal(await statusOf(app, sids.failed!), "failed");
});

const startTimeIn = (text: string) => /name="StartTime" value="([^"]+)"/.exec(text)?.[1];

Deno.test("the page of Deliveries counts the failed ones of an hour, replays them and says how many", async () => {
  using app = await startConsole({ madeUpWebhooks: true });
  const sids = await makeDeliveries(app);
  app.clock.now += 1_000;
  const browser = consoleClient(app, "203.0.113.9");
  await browser.signIn("root@example.com", "root password");
  const path = `/${app.root.sid}/Webhooks/Deliveries`;
  const before = await browser.get(path);
  assert.match(before.text, /<option value="1" selected[^>]*>the last hour</);
  assert.match(before.text, /<option value="2">1 to 2 hours ago</);
  const none = await browser.get(`${path}/replay-failed?ago=24&hour=`);
  assert.match(none.text, /No Delivery of that hour has failed/);
  assert.equal(startTimeIn(none.text), undefined);
  for (const query of ["hour=soon", "ago=soon", "ago=1e30"]) {
    const wrong = await browser.get(`${path}/replay-failed?${query}`);
    assert.match(wrong.text, /That is no hour/, query);
  }

  const counted = await browser.get(`${path}/replay-failed?hour=2024-01-31T11:00`);
  assert.match(counted.text, /Send 2 again/);
  assert.equal(app.fetched.length, 0);
  const StartTime = startTimeIn(counted.text)!;
  assert.equal(StartTime, "2024-01-31T11:00:00.000Z");
  const done = await browser.post(`${path}/replay-failed`, { StartTime });
  assert.match(done.text, /2 failed Deliveries are being sent again/);
  await app.runJobs();
  assert.equal(await statusOf(app, sids.failed!), "delivered");
  const [entry] = (await app.root.get("AuditEntries.json")).json().audit_entries;
  assert.deepEqual([entry.action, entry.from], ["POST", "203.0.113.9"]);
  const again = await browser.post(`${path}/replay-failed`, { StartTime });
  assert.match(again.text, /No Delivery of that hour has failed/);
});

Deno.test("the page of Deliveries replays the failures of the last hour, without a date", async () => {
  using app = await startConsole({ madeUpWebhooks: true });
  const sids = await makeDeliveries(app);
  app.clock.now += 30_000; // The hour from 11:00:30 on.
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const path = `/${app.root.sid}/Webhooks/Deliveries`;
  assert.match((await browser.get(path)).text, /Last answer/);
  const counted = await browser.get(`${path}/replay-failed?ago=1&hour=`);
  app.clock.now += 20_000; // The hour stays that which was counted.
  const StartTime = startTimeIn(counted.text)!;
  const done = await browser.post(`${path}/replay-failed`, { StartTime });
  assert.match(done.text, /2 failed Deliveries are being sent again/);
  await app.runJobs();
  assert.equal(await statusOf(app, sids.last!), "delivered");
  assert.equal(await statusOf(app, sids.after!), "delivered");
  assert.equal(await statusOf(app, sids.failed!), "failed");
});
