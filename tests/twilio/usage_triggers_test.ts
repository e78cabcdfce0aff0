import assert from "node:assert/strict";
import { startTwilioLab, type TwilioLab } from "../support/service/twilio_lab.ts";

const callbackUrl = "https://app.test/triggered";
const minuteMs = 60_000;

/** Charges an account for messages. */
async function charge({ app }: TwilioLab, count: number, account = app.root) {
  const { sid } = (await account.post("Applications.json", { FriendlyName: "charged" })).json();
  const charges = Array.from({ length: count }, () => ({
    category: "sms" as const,
    priceMicros: 50_000,
    usage: 1,
    at: app.clock.now,
  }));
  const { applications } = app.ports.records;
  await applications.update(account.sid, sid, (record) => ({
    record: { ...record, dateUpdated: app.clock.now },
    charges,
  }));
}

/** Callbacks, in order. */
async function told({ app }: TwilioLab) {
  await app.runJobs();
  const sent = app.fetched.filter(({ url }) => url === callbackUrl);
  return await Promise.all(
    sent.map(async (one) => Object.fromEntries(new URLSearchParams(await one.clone().text()))),
  );
}

Deno.test("npm twilio makes, changes, lists and removes a Usage Trigger", async () => {
  await using lab = await startTwilioLab();
  const { client } = lab;
  await charge(lab, 2);
  const { triggers } = client.usage;
  const made = await triggers.create({
    usageCategory: "sms",
    triggerValue: "+3",
    triggerBy: "count",
    recurring: "monthly",
    friendlyName: "texts",
    callbackUrl,
  });
  assert.deepEqual(
    [made.triggerValue, made.currentValue, made.recurring, made.dateFired],
    ["5", "2", "monthly", null],
  );
  const changed = await client.usage.triggers(made.sid).update({ friendlyName: "more texts" });
  assert.equal(changed.friendlyName, "more texts");
  assert.equal((await client.usage.triggers(made.sid).fetch()).usageCategory, "sms");
  assert.equal((await triggers.list({ usageCategory: "sms", triggerBy: "count" })).length, 1);
  assert.deepEqual(await triggers.list({ recurring: "daily" }), []);
  assert.equal(await client.usage.triggers(made.sid).remove(), true);
  await assert.rejects(client.usage.triggers(made.sid).fetch(), { status: 404 });
  for (const triggerValue of ["many", "-1", ""]) {
    await assert.rejects(triggers.create({ usageCategory: "sms", triggerValue, callbackUrl }), {
      status: 400,
      message: /TriggerValue/,
    });
  }
  await assert.rejects(
    triggers.create({ usageCategory: "mms", triggerValue: "1", callbackUrl }),
    { status: 400, message: /UsageCategory/ },
  );
});

Deno.test("a Usage Trigger fires once, with the usage of the accounts below", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const child = await app.subAccount(app.root, "child");
  const { sid } = await client.usage.triggers.create({
    usageCategory: "totalprice",
    triggerBy: "price",
    triggerValue: "0.15",
    callbackUrl,
  });
  await charge(lab, 2);
  assert.deepEqual(await told(lab), []);
  await charge(lab, 1, child);
  app.clock.now += minuteMs;
  const [form, ...others] = await told(lab);
  assert.deepEqual(
    [form?.UsageTriggerSid, form?.CurrentValue, form?.TriggerValue, others.length],
    [sid, "0.15", "0.15", 0],
  );
  const fired = await client.usage.triggers(sid).fetch();
  assert.equal(fired.dateFired.getTime(), app.clock.now);
  await charge(lab, 9);
  app.clock.now += 5 * minuteMs;
  assert.equal((await told(lab)).length, 1);
});

Deno.test("a recurring Usage Trigger fires once in each period", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await client.usage.triggers.create({
    usageCategory: "sms",
    triggerValue: "2",
    recurring: "daily",
    callbackUrl,
  });
  const counts = [];
  for (let day = 0; day < 3; day++) {
    await charge(lab, day === 1 ? 1 : 3);
    for (let minute = 0; minute < 2; minute++) {
      app.clock.now += minuteMs;
      await app.runJobs();
    }
    counts.push((await told(lab)).length);
    app.clock.now += 86_400_000;
  }
  assert.deepEqual(counts, [1, 1, 2]);
});
