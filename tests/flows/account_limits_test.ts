import assert from "node:assert/strict";
import type { ApiClient } from "../support/service/api_client.ts";
import { noLimits, take, tightest, unused } from "../../core/model/values/account_limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  callOf,
  companionOf,
  hungUp,
  made,
  notifications,
} from "../support/service/hand_companion.ts";

const to = "+4930123456";
const url = "https://app.test/voice";

/** A service with a trunk, where a minute to anywhere costs 0.60 and a text 0.10. */
async function startPaid(): Promise<{ app: App; tenant: ApiClient } & Disposable> {
  const app = await startApp();
  const { settings } = app.ports;
  settings.trunks.outboundProxy = { proxy: "carrier.test" };
  settings.trunks.rateMicros = () => 600_000;
  settings.smsRateMicros = () => 100_000;
  app.ports.messageRoutes.push({
    reaches: ({ to }) => Promise.resolve(to.startsWith("+")),
    send: () => Promise.resolve(),
  });
  const tenant = await app.subAccount(app.root, "tenant");
  return { app, tenant, [Symbol.dispose]: () => app[Symbol.dispose]() };
}

const limit = async (app: App, account: ApiClient, form: Record<string, string>) =>
  await made(app.root.with({ sid: account.sid }), "Limits", form);

async function idOf(account: ApiClient): Promise<string> {
  const id = "+493099887766";
  const known = await account.get("OutgoingCallerIds.json");
  if (known.json().length === 0) await made(account, "OutgoingCallerIds", { PhoneNumber: id });
  return id;
}

const call = async (account: ApiClient, form: Record<string, string> = {}) =>
  await account.post("Calls.json", { From: await idOf(account), To: to, Url: url, ...form });

const text = (account: ApiClient) =>
  account.post("SMS/Messages.json", { From: "+493099887766", To: to, Body: "hello" });

/** Number of responses by status. */
function counted(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

Deno.test("MaxConcurrentCalls is exact for 100 requests at once, and ends give places back", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxConcurrentCalls: "7" });
  await idOf(tenant);

  const answers = await Promise.all(Array.from({ length: 100 }, () => call(tenant)));
  assert.deepEqual(counted(answers), { 200: 7, 429: 93 });
  const refused = answers.find(({ status }) => status === 429)!;
  assert.equal(refused.json().code, 20430);
  assert.match(
    refused.json().message,
    /MaxConcurrentCalls of this account is 7, 7 of it used; the account above can raise it$/,
  );
  const shown = (await tenant.get("Limits.json")).json();
  assert.equal(shown.concurrent_calls, 7);
  assert.equal(shown.effective_max_concurrent_calls, 7);

  const { sid } = answers.find(({ status }) => status === 200)!.json();
  await app.runJobs();
  const leg = companionOf(app, sid, tenant.sid);
  await leg.report({ type: "ended", outcome: "busy" });
  assert.equal((await tenant.get("Limits.json")).json().concurrent_calls, 6);
  const again = await Promise.all(Array.from({ length: 3 }, () => call(tenant)));
  assert.deepEqual(counted(again), { 200: 1, 429: 2 });
});

Deno.test("the use of sub-accounts counts for each account above", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxConcurrentCalls: "5", MaxTextsPerDay: "4" });
  const below = await Promise.all(["a", "b", "c"].map((name) => app.subAccount(tenant, name)));
  for (const one of below) await idOf(one);

  const calls = await Promise.all(
    below.flatMap((one) => Array.from({ length: 10 }, () => call(one))),
  );
  assert.deepEqual(counted(calls), { 200: 5, 429: 25 });
  assert.match(
    calls.find(({ status }) => status === 429)!.json().message,
    /MaxConcurrentCalls of the account above is 5, 5 of it used; an account above that account/,
  );
  const texts = await Promise.all(
    below.flatMap((one) => Array.from({ length: 10 }, () => text(one))),
  );
  assert.deepEqual(counted(texts), { 200: 4, 429: 26 });
  const [first] = below;
  const shown = (await first!.get("Limits.json")).json();
  assert.equal(shown.max_texts_per_day, null);
  assert.equal(shown.effective_max_texts_per_day, 4);
});

Deno.test("MaxCallsPerSecond counts any second, and MaxTextsPerDay begins anew at midnight UTC", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxCallsPerSecond: "3", MaxTextsPerDay: "2" });
  await idOf(tenant);
  const five = () => Promise.all(Array.from({ length: 5 }, () => call(tenant)));

  assert.deepEqual(counted(await five()), { 200: 3, 429: 2 });
  app.clock.now += 999;
  const refused = await five();
  assert.deepEqual(counted(refused), { 429: 5 });
  assert.equal(refused[0]!.json().code, 20431);
  assert.equal(refused[0]!.headers.get("retry-after"), "1");
  app.clock.now += 1;
  assert.deepEqual(counted(await five()), { 200: 3, 429: 2 });

  const texts = await Promise.all(Array.from({ length: 4 }, () => text(tenant)));
  assert.deepEqual(counted(texts), { 200: 2, 429: 2 });
  const late = texts.find(({ status }) => status === 429)!;
  assert.equal(late.json().code, 20432);
  assert.equal(late.headers.get("retry-after"), String(12 * 3600 - 1));
  app.clock.now = Date.UTC(2024, 1, 1);
  assert.equal((await tenant.get("Limits.json")).json().texts_today, 0);
  assert.equal((await text(tenant)).status, 200);
});

Deno.test("an account above sets limits, and the account itself does not", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  const own = await tenant.post("Limits.json", { MaxTextsPerDay: "9" });
  assert.equal(own.status, 403);
  const root = await app.root.post("Limits.json", { MaxTextsPerDay: "9" });
  assert.equal(root.status, 403);
  assert.match(root.json().message, /MAX_TEXTS_PER_DAY/);
  const below = await app.subAccount(tenant, "below");
  const set = await tenant.with({ sid: below.sid }).post("Limits.json", { MaxTextsPerDay: "1" });
  assert.equal(set.json().max_texts_per_day, 1);
  for (
    const [name, value] of [["MaxTextsPerDay", "-1"], ["MaxSpendPerDay", "x"], [
      "DestinationPrefixes",
      "49",
    ], ["MaxCallsPerSecond", "1001"]] as const
  ) {
    const bad = await app.root.with({ sid: tenant.sid }).post("Limits.json", { [name]: value });
    assert.equal(bad.status, 400, `${name} ${value}`);
    assert.match(bad.json().message, new RegExp(name));
  }
  const cleared = await tenant.with({ sid: below.sid }).post("Limits.json", { MaxTextsPerDay: "" });
  assert.equal(cleared.json().max_texts_per_day, null);
  assert.equal(cleared.json().texts_today, null);
});

Deno.test("limits count calls that were live and charged before they were set, once", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await idOf(tenant);
  const [first] = await Promise.all([call(tenant), call(tenant), call(tenant), text(tenant)]);
  await app.runJobs();
  await limit(app, tenant, { MaxConcurrentCalls: "3", MaxTextsPerDay: "10" });
  app.clock.now += 5_000;
  await app.runJobs();

  const shown = (await tenant.get("Limits.json")).json();
  assert.deepEqual(
    [shown.concurrent_calls, shown.texts_today, shown.spend_today, shown.spend_reserved],
    [3, 1, "0.10", "1.80"],
  );
  assert.equal((await call(tenant)).status, 429);
  await companionOf(app, first!.json().sid, tenant.sid).report({ type: "ended", outcome: "busy" });
  assert.equal((await call(tenant)).status, 200);
  assert.equal((await call(tenant)).status, 429);
});

Deno.test("MaxSpendPerDay is never passed by calls, texts and numbers at once", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxSpendPerDay: "5.00" });
  await idOf(tenant);
  const number = (at: number) =>
    tenant.post("IncomingPhoneNumbers.json", { PhoneNumber: `+1415555${2000 + at}` });

  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => [call(tenant), text(tenant), number(at)]).flat(),
  );
  const statuses = counted(answers);
  assert.equal(statuses[200]! + statuses[429]!, 90);
  assert.equal(answers.find(({ status }) => status === 429)!.json().code, 20433);
  const calls = (await tenant.get("Calls.json")).json().calls;
  app.clock.now += 2_000;
  await app.runJobs();
  for (const { sid } of calls) {
    const leg = companionOf(app, sid, tenant.sid);
    await leg.report({ type: "answered" });
  }
  app.clock.now += 50_000;
  for (const { sid } of calls) {
    const leg = companionOf(app, sid, tenant.sid);
    await leg.report({ type: "ended", outcome: "completed" }, { seq: 9 });
  }
  const usage = (await tenant.get("Usage/Records.json?Category=totalprice")).json();
  const [total] = usage;
  assert.ok(Number(total.price) <= 5, total.price);
  assert.ok(Number(total.price) > 4.4, total.price);
  const shown = (await tenant.get("Limits.json")).json();
  assert.equal(Number(shown.spend_today), Number(total.price));
  assert.equal(shown.spend_reserved, "0.00");
  assert.equal(shown.concurrent_calls, 0);
});

const inviting = (parent: string, serviceContext?: Record<string, unknown>) => ({
  type: "inviting" as const,
  from: "+493099887766",
  to,
  sipCallId: "1",
  parent,
  ...serviceContext && { serviceContext },
});

/** A call of the tenant that came in, and a Client that may call out. */
async function startSoftphone(lab: { app: App; tenant: ApiClient }) {
  const { app, tenant } = lab;
  await idOf(tenant);
  const client = await made(tenant, "Clients", { Login: "alice", Password: "secret" });
  await made(tenant, "OutgoingCallerIds", { PhoneNumber: "+493011112222" });
  const parent = app.ports.newSid("CA");
  const incoming = {
    type: "incoming" as const,
    clientSid: client.sid,
    login: "alice",
    uri: `sip:${to}@sip.test`,
    sipCallId: "in",
    headers: {},
  };
  return { parent, phone: companionOf(app, parent, tenant.sid), incoming };
}

Deno.test("a leg of a softphone's call, or of a Dial, is admitted before its INVITE", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxConcurrentCalls: "1" });
  app.answers = () =>
    new Response(
      `<Response><Dial callerId="+493099887766"><Number>${to}</Number></Dial></Response>`,
      {
        headers: { "content-type": "text/xml" },
      },
    );
  const { parent, phone, incoming } = await startSoftphone(lab);
  const application = await made(tenant, "Applications", { FriendlyName: "a", RcmlUrl: url });
  await made(tenant, `Clients/${incoming.clientSid}`, { VoiceApplicationSid: application.sid });

  const [step] = await phone.report(incoming);
  assert.equal(step?.type, "dial");
  const [leg] = step?.type === "dial" ? step.legs : [];
  assert.equal(leg?.limited, true);
  assert.equal(leg?.serviceContext?.rateMicros, 600_000);

  const first = companionOf(app, leg!.leg, tenant.sid);
  const asked = { wantsScript: true };
  assert.deepEqual(await first.report(inviting(parent, leg!.serviceContext), asked), [
    { type: "connect" },
  ]);
  assert.deepEqual(await first.repeat(), [{ type: "connect" }]);
  const second = companionOf(app, app.ports.newSid("CA"), tenant.sid);
  const [refusal] = await second.report(inviting(parent, leg!.serviceContext), asked);
  assert.equal(refusal?.type === "reject" && refusal.status, 503);
  assert.match(refusal?.type === "reject" ? refusal.text ?? "" : "", /MaxConcurrentCalls/);
  assert.deepEqual(await second.repeat(), [refusal]);
  await second.report({
    type: "ended",
    outcome: "failed",
    sipStatus: 503,
    disconnection: { by: "service", cause: "limit" },
  });
  const told = (await notifications(app, tenant)).filter((one) => one.includes("MaxConcurrent"));
  assert.equal(told.length, 1);
  assert.equal((await tenant.get("Limits.json")).json().concurrent_calls, 1);

  await first.report({ type: "ended", outcome: "busy" });
  const third = companionOf(app, app.ports.newSid("CA"), tenant.sid);
  assert.deepEqual(await third.report(inviting(parent), asked), [{ type: "connect" }]);
});

Deno.test("a Sms verb and a reply beyond MaxTextsPerDay fail with a Notification, and the call goes on", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxTextsPerDay: "1" });
  assert.equal((await text(tenant)).status, 200);
  const sid = (await call(tenant)).json().sid;
  await app.runJobs();
  const leg = companionOf(app, sid, tenant.sid);
  app.answers = () =>
    new Response(
      `<Response><Sms from="+493099887766" to="${to}" action="/next">hello</Sms></Response>`,
      { headers: { "content-type": "text/xml" } },
    );
  const [step] = await leg.report({ type: "answered" });
  assert.equal(step?.type, "note");
  if (step?.type !== "note") return;
  app.fetched.length = 0;
  await leg.report({
    type: "noted",
    serviceContext: step.serviceContext,
    ...step.action && { action: step.action },
  });
  const [request] = app.fetched;
  const sent = new URLSearchParams(await request!.text());
  assert.equal(sent.get("SmsStatus"), "failed");
  const told = (await notifications(app, tenant)).filter((one) =>
    one.startsWith("Cannot send more messages today: Sms: MaxTextsPerDay")
  );
  assert.equal(told.length, 1);
  assert.equal((await callOf(app, sid, tenant)).status, "in-progress");
});

Deno.test("premium and satellite numbers are refused unless allowed, and so are other prefixes", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await idOf(tenant);
  const premium = [
    "+19005551234",
    "+449098790000",
    "+8707734561234",
    "+881612345678",
    "+979123456789",
  ];
  for (const number of premium) {
    const answer = await call(tenant, { To: number });
    assert.equal(answer.status, 403, number);
    assert.equal(answer.json().code, 20435);
  }
  app.ports.settings.trunks.premiumPrefixes = ["+1900"];
  assert.equal((await call(tenant, { To: premium[0]! })).status, 200);
  assert.equal((await call(tenant, { To: premium[2]! })).status, 403);

  await limit(app, tenant, { DestinationPrefixes: "+4930,+1", PremiumPrefixes: "none" });
  assert.equal((await call(tenant, { To: premium[0]! })).status, 403);
  assert.equal((await call(tenant)).status, 200);
  const other = await call(tenant, { To: "+33140205050" });
  assert.equal(other.status, 403);
  assert.equal(other.json().code, 20434);
  assert.match(other.json().message, /DestinationPrefixes of this account is \+4930,\+1;/);
  const below = await app.subAccount(tenant, "below");
  assert.equal((await call(below, { To: "+33140205050" })).status, 403);
  const sms = await tenant.post("SMS/Messages.json", {
    From: "+493099887766",
    To: "+33140205050",
    Body: "x",
  });
  assert.equal(sms.status, 403);
});

Deno.test("live calls share the rest of the money, and end before a minute that it does not cover", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  const below = await app.subAccount(tenant, "below");
  await limit(app, tenant, { MaxSpendPerDay: "1.90" });
  const callers = [tenant, below];
  const legs = [];
  for (const caller of callers) {
    const { sid } = (await call(caller)).json();
    await app.runJobs();
    const leg = companionOf(app, sid, caller.sid);
    await leg.report({ type: "answered" });
    legs.push({ sid, leg, caller });
  }
  app.scripts.length = 0;
  app.clock.now += 55_000;
  await app.runJobs();
  app.clock.now += 3_500;
  await app.runJobs();

  const ended = hungUp(app);
  assert.equal(ended.length, 1, "three minutes are paid: one call goes on");
  const orders = app.scripts.map(({ leg, script }) => ({ isEnded: leg === ended[0], script }));
  const order = (afterMs: number) => [{ type: "hangup", cause: "limit", afterMs }];
  // Without a service the other one ends a minute after the minutes that are paid.
  assert.deepEqual(orders.toSorted((a, b) => Number(a.isEnded) - Number(b.isEnded)), [
    { isEnded: false, script: order(123_500) },
    { isEnded: true, script: order(3_500) },
  ]);
  const over = legs.find(({ sid }) => sid === ended[0])!;
  await over.leg.report({ type: "ended", outcome: "completed" });
  const [told] = await notifications(app, over.caller);
  assert.match(told!, /MaxSpendPerDay of (this account|the account above) is 1\.90/);
  app.clock.now += 60_000;
  await app.runJobs();
  const on = legs.find((one) => one !== over)!;
  assert.equal(app.scripts.at(-1)!.leg, on.sid);
  await on.leg.report({ type: "ended", outcome: "completed" });
  const prices = await Promise.all(legs.map(({ sid, caller }) => callOf(app, sid, caller)));
  const total = prices.reduce((sum, { price }) => sum + Number(price), 0);
  assert.equal(total.toFixed(2), "1.80");
});

Deno.test("minutes that began while no service ran are counted, and the call ends at once", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxSpendPerDay: "1.00" });
  const { sid } = (await call(tenant)).json();
  await app.runJobs();
  const leg = companionOf(app, sid, tenant.sid);
  await leg.report({ type: "answered" });
  app.scripts.length = 0;
  app.clock.now += 130_000;
  await app.runJobs();

  assert.deepEqual(app.scripts.at(-1), { leg: sid, script: [{ type: "hangup", cause: "limit" }] });
  assert.equal((await tenant.get("Limits.json")).json().spend_reserved, "1.80");
  await leg.report({ type: "ended", outcome: "completed" });
  const shown = (await tenant.get("Limits.json")).json();
  assert.deepEqual([shown.spend_today, shown.spend_reserved], ["1.80", "0.00"]);
});

Deno.test("a limit of money that is lowered below the amount used ends the calls that cost", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxSpendPerDay: "10" });
  const { sid } = (await call(tenant)).json();
  await app.runJobs();
  await companionOf(app, sid, tenant.sid).report({ type: "answered" });
  app.scripts.length = 0;
  await limit(app, tenant, { MaxSpendPerDay: "0.50" });
  await app.runJobs();

  assert.equal(app.scripts.at(-1)?.script[0]?.type, "hangup");
  assert.match((await notifications(app, tenant)).join(), /MaxSpendPerDay is 0\.50 now/);
});

Deno.test("80 % of a limit of the day notifies the account and the one above, once a day", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxTextsPerDay: "5" });
  const near = async (account: ApiClient) => {
    await app.runJobs();
    return (await notifications(app, account)).filter((one) => one.startsWith("80 %"));
  };
  for (let sent = 0; sent < 3; sent++) await text(tenant);
  assert.deepEqual(await near(tenant), []);
  await text(tenant);
  assert.match((await near(tenant))[0]!, /MaxTextsPerDay of AC\w+ is 5, 4 of it used; the account/);
  assert.equal((await near(app.root)).length, 1);
  await text(tenant);
  assert.equal((await near(tenant)).length, 1);
  app.clock.now += 86_400_000;
  for (let sent = 0; sent < 4; sent++) await text(tenant);
  assert.equal((await near(tenant)).length, 2);
});

Deno.test("steps of the wall clock neither end a call whose minutes are counted, nor stop the count", async () => {
  for (const stepMs of [20_000, -3_600_000, 3 * 3_600_000]) {
    using lab = await startPaid();
    const { app, tenant } = lab;
    await limit(app, tenant, { MaxSpendPerDay: "1.90" });
    const { sid } = (await call(tenant)).json();
    await app.runJobs();
    await companionOf(app, sid, tenant.sid).report({ type: "answered" });
    app.scripts.length = 0;
    app.clock.now += 30_000;
    app.clock.step(stepMs);
    await app.runJobs();
    assert.deepEqual(hungUp(app), [], `${stepMs}`);
    for (const passed of [25_000, 60_000, 60_000]) {
      assert.deepEqual(hungUp(app), [], `${stepMs}`);
      app.clock.now += passed;
      await app.runJobs();
    }
    app.clock.now += 3_500;
    await app.runJobs();
    assert.deepEqual(hungUp(app), [sid], `${stepMs}`);
  }
});

Deno.test("MaxEmailsPerDay counts recipients, exactly at once, by sub-accounts and by the verb too", async () => {
  using lab = await startPaid();
  const { app, tenant } = lab;
  await limit(app, tenant, { MaxEmailsPerDay: "10" });
  const below = await app.subAccount(tenant, "below");
  const email = (from: ApiClient, to: string, copies = {}) =>
    from.post("Email/Messages.json", {
      From: "a@app.test",
      To: to,
      Subject: "s",
      Body: "b",
      ...copies,
    });

  const many = await email(tenant, "a@x.test, b@x.test", { CC: "c@x.test", BCC: "d@x.test" });
  assert.equal(many.status, 200, many.text);
  assert.equal((await tenant.get("Limits.json")).json().emails_today, 4);
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, n) => email(n % 2 === 0 ? tenant : below, "a@x.test")),
  );
  assert.deepEqual(counted(all), { 200: 6, 429: 44 });
  const refused = all.find(({ status }) => status === 429)!;
  assert.equal(refused.json().code, 20437);
  assert.match(refused.json().message, /MaxEmailsPerDay of .+ is 10, 10 of it used/);
  assert.equal(refused.headers.get("retry-after"), String(12 * 3600));
  await app.runJobs();
  assert.equal(app.mailed.length, 7);
  assert.equal((await tenant.get("Limits.json")).json().emails_today, 10, "what was sent counts");
  assert.equal((await below.get("Limits.json")).json().effective_max_emails_per_day, 10);
  const near = (await notifications(app, tenant)).filter((one) =>
    /^80 %.*MaxEmailsPerDay/.test(one)
  );
  assert.equal(near.length, 1);

  const sid = (await call(tenant)).json().sid;
  await app.runJobs();
  const leg = companionOf(app, sid, tenant.sid);
  app.answers = () =>
    new Response(
      '<Response><Email from="a@app.test" to="a@x.test" subject="s">b</Email></Response>',
      { headers: { "content-type": "text/xml" } },
    );
  const [step] = await leg.report({ type: "answered" });
  assert.equal(step?.type, "note");
  if (step?.type !== "note") return;
  await leg.report({ type: "noted", serviceContext: step.serviceContext });
  await app.runJobs();
  assert.equal(app.mailed.length, 7);
  const failed = (await notifications(app, tenant)).filter((one) =>
    one.startsWith("Cannot send more e-mails today: Email: MaxEmailsPerDay")
  );
  assert.equal(failed.length, 1);
  assert.equal((await callOf(app, sid, tenant)).status, "in-progress");

  app.clock.now = Date.UTC(2024, 1, 1);
  assert.equal((await email(tenant, "a@x.test")).status, 200);
  assert.equal((await tenant.get("Limits.json")).json().emails_today, 1);
});

Deno.test("limits that a former version stored have no limit of e-mails, and are compared as such", () => {
  const at = { now: 0, steadyNow: 0 };
  const { maxEmailsPerDay: _, ...limits } = noLimits;
  const use = unused(0);
  const state = { since: 0, limits, use, countsEarlier: true };
  const nothing = { liveCalls: 0, newCalls: 0, texts: 0, reservedMicros: 0, spentMicros: 0 };
  const taken = take(state, { ...nothing, emails: 3, isRefusable: true }, at);
  assert.ok(!("exceeded" in taken));
  assert.equal(taken.use.emails, 3);
  assert.equal(tightest([limits, { ...limits, maxEmailsPerDay: 5 }], "maxEmailsPerDay"), 5);
  assert.equal(tightest([limits], "maxEmailsPerDay"), null);
});
