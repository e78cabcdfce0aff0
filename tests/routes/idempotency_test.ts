import assert from "node:assert/strict";
import { Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import { creation, newBase } from "../../core/model/resource.ts";
import { applications as definition } from "../../core/model/resources/applications.ts";
import type { Env } from "../../routes/http/env.ts";
import { onError } from "../../routes/http/errors.ts";
import { keeping, making } from "../../routes/http/make_once.ts";
import { limits } from "../../core/base/limits.ts";
import { checkKeyBound } from "../../routes/http/idempotency_bound.ts";
import { nouns } from "../../core/twilio/mod.ts";
import { removeOldRecords } from "../../core/usage/remove_old.ts";
import type { Answer, ApiClient, Form } from "../support/service/api_client.ts";
import { companionOf } from "../support/service/hand_companion.ts";
import { type App, startApp } from "../support/service/app.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { document } from "../support/service/openapi.ts";
import { makeSample, samples } from "../support/service/samples.ts";

const call: Form = { From: "+15550001", To: "client:bob", Url: "https://app.test/voice" };
const located: Form = {
  DeviceIdentifier: "+59899077937",
  StatusCallback: "https://app.test/found",
};

/** Every path that makes a record, and the least that it takes. */
const makes: Record<string, Form> = {
  "/2012-04-24/Accounts": { EmailAddress: "child@example.com", Password: "secret" },
  Applications: { FriendlyName: "ivr" },
  Calls: call,
  Clients: { Login: "bob", Password: "secret" },
  "Email/Messages": { From: "a@app.test", To: "b@app.test", Body: "x", Subject: "y" },
  Erasures: { Subject: "+4930123456" },
  "Management/Gateways": { UserName: "trunk", Password: "secret", Proxy: "sip.carrier.test" },
  "/2010-04-01/Accounts/{AccountSid}/Management/Gateways": {
    UserName: "trunk2",
    Password: "secret",
    Proxy: "sip.carrier.test",
  },
  "Geolocation/Immediate": located,
  "Geolocation/Notification": {
    ...located,
    EventGeofenceLatitude: "-90",
    EventGeofenceLongitude: "180",
    GeofenceRange: "0.001",
    GeofenceEvent: "in",
  },
  IncomingPhoneNumbers: { PhoneNumber: "+14155550150" },
  "IncomingPhoneNumbers/Local": { PhoneNumber: "+14155550151" },
  "IncomingPhoneNumbers/TollFree": { PhoneNumber: "+18005550150" },
  "IncomingPhoneNumbers/Mobile": { PhoneNumber: "+491711234567" },
  OutgoingCallerIds: { PhoneNumber: "+14155550109" },
  "Recordings/{RecordingSid}/Transcriptions": {},
  "Calls/{CallSid}/Streams": { Url: "wss://agent.test/", Name: "monitor" },
  "/2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Streams": { Url: "wss://agent.test/" },
  "Calls/{CallSid}/Monitors": { To: "client:listener" },
  "Conferences/{ConferenceSid}/Monitors": { To: "client:listener" },
  "SMS/Messages": { From: "+15550001", To: "+15550009", Body: "Hello" },
  "/2010-04-01/Accounts/{AccountSid}/Addresses": {
    CustomerName: "Ada",
    Street: "1 Main St",
    City: "London",
    Region: "London",
    PostalCode: "N1",
    IsoCountry: "GB",
  },
  "/2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers": { PhoneNumber: "+14155550160" },
  "/2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/Local": { PhoneNumber: "+14155550161" },
  "/2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/TollFree": {
    PhoneNumber: "+18005550160",
  },
  "/2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/Mobile": {
    PhoneNumber: "+491711234568",
  },
  "/2010-04-01/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Participants": {
    From: "+14155550199",
    To: "client:bob",
  },
  "OutgoingCallerIds/ValidationRequests": { PhoneNumber: "+14155550119" },
  "/2010-04-01/Accounts/{AccountSid}/OutgoingCallerIds": { PhoneNumber: "+14155550119" },
  "/2010-04-01/Accounts/{AccountSid}/Queues": { FriendlyName: "support" },
  Keys: { FriendlyName: "ci" },
  "/2010-04-01/Accounts/{AccountSid}/Keys": { FriendlyName: "ci" },
  "/2010-04-01/Accounts/{AccountSid}/SigningKeys": { FriendlyName: "ci" },
  "/2010-04-01/Accounts/{AccountSid}/Applications": { FriendlyName: "ivr" },
  "/2010-04-01/Accounts/{AccountSid}/Calls": call,
  "/2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Recordings": {},
  "/2010-04-01/Accounts/{AccountSid}/Messages": { From: "+15550001", To: "+15550009", Body: "Hi" },
  "/2010-04-01/Accounts/{AccountSid}/SMS/Messages": {
    From: "+15550001",
    To: "+15550009",
    Body: "Hi",
  },
  "/2010-04-01/Accounts/{AccountSid}/Usage/Triggers": {
    UsageCategory: "sms",
    TriggerValue: "5",
    CallbackUrl: "https://app.test/usage",
  },
  UssdPush: { From: "+14155550199", To: "+15550009", Url: "https://app.test/ussd" },
};

/** What makes a token and no record; `auth_tokens_test.ts` sends them twice. */
const tokens = ["AuthTokens/Secondary", "AuthTokens/Promote"];

const keyed = (client: ApiClient, path: string, form: Form, key = "key-1"): Promise<Answer> =>
  client.request("POST", path, {
    body: new URLSearchParams(form as Record<string, string>),
    headers: { "Idempotency-Key": key },
  });

/** How many records there are of all kinds, those that keep responses apart. */
async function recordCount(app: App): Promise<number> {
  const none = { where: [], skip: 0, limit: 1 };
  const lists = Object.entries(app.ports.records)
    .filter(([name]) => name !== "idempotencyKeys" && name !== "notifications");
  const totals = await Promise.all(
    lists.map(async ([, records]) => (await records.list(app.root.sid, none)).total),
  );
  const children = await app.ports.accounts.childSids(app.root.sid);
  return totals.reduce((sum, total) => sum + total, children.length);
}

const keptKeys = async (app: App, sid = app.root.sid): Promise<number> =>
  (await app.ports.records.idempotencyKeys.list(sid, { where: [], skip: 0, limit: 1 })).total;

async function finishedRecording(app: App): Promise<string> {
  const base = { sid: app.ports.newSid("RE"), accountSid: app.root.sid };
  const dates = { dateCreated: app.clock.now, dateUpdated: app.clock.now };
  const record = { ...samples.recordings.record!(1), ...base, ...dates };
  await app.ports.records.recordings.insert({ record: record as never });
  return base.sid;
}

/** A conference at a companion. */
async function openConference(app: App): Promise<string> {
  const sid = await makeSample(app, app.root, { name: "conferences" });
  await app.ports.records.conferences.update(app.root.sid, sid, (conference) => ({
    record: { ...conference, status: "in-progress", companion: { id: "companion", runId: "run" } },
  }));
  return sid;
}

/** A call in progress. */
async function answeredCall(app: App): Promise<string> {
  const { sid } = (await app.root.post("Calls.json", call)).json();
  await companionOf(app, sid).report({ type: "answered" });
  return sid;
}

Deno.test("each POST that makes a record takes an Idempotency-Key, and no other does", () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) => {
    const { post } = item as { post?: { parameters?: { name: string }[] } };
    return post?.parameters?.some(({ name }) => name === "Idempotency-Key") ? [path] : [];
  });

  const ofTwilio = nouns.filter(({ create, isFleeting }) => create !== undefined && !isFleeting)
    .flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths])
    .map((path) => `/2010-04-01/Accounts/{AccountSid}/${path}`);
  const short = [...described, ...ofTwilio].map((path) =>
    path.replace(/^\/2012-04-24\/Accounts\/\{AccountSid\}\//, "").replace(".json", "")
  );
  const named = [...Object.keys(makes), ...tokens]
    .map((path) => path.replace(/^(Recordings|Calls|Conferences)\/\{\w+\}/, "$1/{Sid}"));
  assert.deepEqual(short.sort(), named.sort());
});

for (const [path, form] of Object.entries(makes)) {
  Deno.test(`POST ${path} with the same Idempotency-Key makes one record`, async () => {
    using app = await startApp();
    const recordingSid = await finishedRecording(app);
    await app.root.post("OutgoingCallerIds.json", { PhoneNumber: "+14155550199" });
    const at = path.replace("{AccountSid}", app.root.sid)
      .replace("{RecordingSid}", recordingSid)
      .replace("{CallSid}", path.includes("{CallSid}") ? await answeredCall(app) : "")
      .replace(/^Conferences\/\{ConferenceSid\}/, `Conferences/${await openConference(app)}`) +
      ".json";
    if (path.endsWith("/Monitors")) {
      await app.root.post("Clients.json", { Login: "listener", Password: "secret" });
    }
    const before = await recordCount(app);

    const first = await keyed(app.root, at, form);
    const count = await recordCount(app);
    app.clock.now += 3_600_000;
    const second = await keyed(app.root, at, form);

    const isTwilio = path.startsWith("/2010") && !path.includes("Management");
    assert.equal(first.status, isTwilio ? 201 : 200, first.text);
    assert.equal(first.headers.get("Idempotent-Replayed"), null);
    assert.equal(count, before + 1);
    assert.deepEqual([second.status, second.text], [first.status, first.text]);
    assert.equal(second.headers.get("Content-Type"), first.headers.get("Content-Type"));
    assert.equal(second.headers.get("Idempotent-Replayed"), "true");
    assert.equal(await recordCount(app), count);
  });
}

Deno.test("a retry gets the record as it was made, though it has changed or is gone", async () => {
  using app = await startApp();
  const form = { FriendlyName: "ivr" };
  const first = await keyed(app.root, "Applications.json", form);
  const { sid } = first.json();
  await app.root.post(`Applications/${sid}.json`, { FriendlyName: "other" });
  assert.equal((await keyed(app.root, "Applications.json", form)).text, first.text);
  await app.root.delete(`Applications/${sid}.json`);

  assert.equal((await keyed(app.root, "Applications.json", form)).text, first.text);
});

Deno.test("an Idempotency-Key with another body, path or format answers 409", async () => {
  using app = await startApp();
  await keyed(app.root, "Calls.json", call);

  for (
    const [path, form] of [
      ["Calls.json", { ...call, To: "client:eve" }],
      ["UssdPush.json", call],
      ["Calls", call],
    ] as const
  ) {
    const refused = await keyed(app.root, path, form);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /20409/);
    assert.match(refused.text, /Idempotency-Key was sent before/);
  }
  assert.equal((await app.root.get("Calls.json")).json().total, 1);
});

Deno.test("of concurrent twins one makes the record and all get its response", async () => {
  using app = await startApp();
  for (const [path, form] of [["Calls.json", call], ["Clients.json", makes.Clients!]] as const) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => keyed(app.root, path, form, path)),
    );

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  }
  assert.equal((await app.root.get("Calls.json")).json().total, 1);
  assert.equal((await app.root.get("Clients.json")).json().length, 1);
});

Deno.test("of concurrent twins one starts a stream, and its companion has one order", async () => {
  using app = await startApp();
  const path = `Calls/${await answeredCall(app)}/Streams.json`;
  const send = () => keyed(app.root, path, { Url: "wss://agent.test/" });

  const answers = await Promise.all(Array.from({ length: 10 }, send));

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(app.streamOrders.length, 1);
  assert.equal((await app.root.get("Streams.json")).json().total, 1);
});

Deno.test("twins at two services on a shared store make one record", async () => {
  await using store = startKvConnect();
  using one = await startApp({ shared: { location: store.url, instance: 0 } });
  using two = await startApp({ shared: { location: store.url, instance: 1 } });

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => keyed(n % 2 ? one.root : two.root, "Calls.json", call)),
  );

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal((await one.root.get("Calls.json")).json().total, 1);
});

Deno.test("a request whose record is made and that then fails gets its error, a retry the record", async () => {
  using app = await startApp();
  const { ports } = app;
  const { applications } = ports.records;
  let fails = true;
  const made = (record: { sid: string }) => ({
    json: () => ({ sid: record.sid }),
    xml: () => "",
  });
  const http = new Hono<Env>().onError(onError(ports));
  http.use("*", async (c, next) => {
    const account = (await ports.accounts.get(app.root.sid))!;
    c.set("caller", account);
    c.set("account", account);
    await next();
  });
  http.post(
    "/make.json",
    making(ports, async (c) => {
      const base = newBase(definition, app.root.sid, ports);
      const change = creation(definition, { friendlyName: "ivr" }, base);
      const record = await keeping(c, applications, { forms: made }, ports).insert(change);
      if (fails) throw new Fault("unavailable", "the companion does not answer");
      return c.json(record);
    }),
  );
  const send = () =>
    http.request("/make.json", { method: "POST", headers: { "Idempotency-Key": "one" } });

  const failed = await send();
  fails = false;
  const again = await send();

  assert.equal(failed.status, 503);
  const [kept] = (await app.root.get("Applications.json")).json();
  assert.deepEqual([again.status, await again.json()], [200, { sid: kept.sid }]);
});

Deno.test("a refused request leaves its Idempotency-Key unused", async () => {
  using app = await startApp();
  const refused = await keyed(app.root, "Clients.json", { Login: "bob" });
  assert.equal(refused.status, 400);

  const made = await keyed(app.root, "Clients.json", { Login: "bob", Password: "secret" });

  assert.equal(made.status, 200, made.text);
});

Deno.test("Idempotency-Keys are of the caller and the account that they were sent for", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const other = await app.subAccount(app.root, "other");

  const sids = [];
  for (const client of [child, other, app.root, app.root.with({ sid: child.sid })]) {
    sids.push((await keyed(client, "Calls.json", call)).json().sid);
  }

  assert.equal(new Set(sids).size, 4);
});

Deno.test("an Idempotency-Key is of 1 to 255 visible ASCII characters", async () => {
  using app = await startApp();
  for (const key of ["", "a b", "ä", "x".repeat(limits.idempotencyKeyLength + 1)]) {
    const refused = await keyed(app.root, "Calls.json", call, key);
    assert.equal(refused.status, 400, key);
    assert.match(refused.json().message, /Idempotency-Key must have 1 to 255 visible ASCII/);
  }
  const longest = "x".repeat(limits.idempotencyKeyLength);
  assert.equal((await keyed(app.root, "Calls.json", call, longest)).status, 200);
});

for (const days of [2, -2]) {
  Deno.test(`an Idempotency-Key counts though the clock was set by ${days} days`, async () => {
    using app = await startApp();
    const form = { FriendlyName: "ivr" };
    const path = `/2012-04-24/Accounts/${app.root.sid}/Applications.json`;
    const send = () =>
      app.http.request(path, {
        method: "POST",
        headers: {
          Authorization: `Basic ${btoa(`${app.root.sid}:${app.root.token}`)}`,
          "Idempotency-Key": "one",
        },
        body: new URLSearchParams(form),
      });
    const { sid } = await (await send()).json();
    app.clock.step(days * 24 * 3_600_000);

    assert.equal((await (await send()).json()).sid, sid);
  });
}

Deno.test("an Idempotency-Key is new again after 24 hours, removed or not", async () => {
  using app = await startApp();
  const first = await keyed(app.root, "Calls.json", call);
  app.clock.now += limits.idempotencyRetentionMs;

  const second = await keyed(app.root, "Calls.json", call);

  assert.notEqual(second.json().sid, first.json().sid);
  assert.equal(await keptKeys(app), 1);
  assert.equal((await keyed(app.root, "Calls.json", call)).text, second.text);
});

Deno.test("the removal of old records removes Idempotency-Keys of the day before", async () => {
  using app = await startApp();
  await keyed(app.root, "Calls.json", call, "old");
  app.clock.now += limits.idempotencyRetentionMs + 60_000;
  await keyed(app.root, "Calls.json", call, "young");

  await removeOldRecords(app.ports, new AbortController().signal);

  assert.equal(await keptKeys(app), 1);
  assert.equal((await app.root.get("Calls.json")).json().total, 2);
});

Deno.test("a long response is stored in parts, and expires with all of them", async () => {
  using app = await startApp();
  const noise = Array.from({ length: 16_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("");
  const form = { ...makes["Email/Messages"]!, Body: noise };
  const first = await keyed(app.root, "Email/Messages.json", form);
  assert.equal(first.status, 200, first.text.slice(0, 200));
  assert.ok(await keptKeys(app) > 1);

  assert.equal((await keyed(app.root, "Email/Messages.json", form)).text, first.text);
  app.clock.now += limits.idempotencyRetentionMs;
  assert.equal((await keyed(app.root, "Email/Messages.json", form)).status, 200);
});

Deno.test("the store alone opens no stored response", async () => {
  using app = await startApp();
  const form = makes["/2012-04-24/Accounts"]!;
  const made = await keyed(app.root, "/2012-04-24/Accounts.json", form, "a-secret-key");

  const { items: [kept] } = await app.ports.records.idempotencyKeys
    .list(app.root.sid, { where: [], skip: 0, limit: 1 });

  const shown = JSON.stringify(kept);
  for (const text of ["a-secret-key", made.json().auth_token, "child@example.com"]) {
    assert.ok(!shown.includes(text), text);
  }
});

Deno.test("a tenant and its sub-accounts have a bounded number of Idempotency-Keys", async () => {
  const ofEach = limits.idempotencyKeys / 4;
  const clock = { now: 0 };
  const ports = (tenantHas: number) => ({
    now: () => clock.now,
    accounts: { childSids: () => Promise.resolve(["AC11", "AC12", "AC13"]) },
    records: {
      idempotencyKeys: {
        list: (sid: string) =>
          Promise.resolve({ items: [], total: sid === "AC1" ? tenantHas : ofEach }),
      },
    },
  });
  const sub = { sid: "AC11", ancestors: ["AC0", "AC1"] };
  const refusal = { name: "Fault", code: 20429, retryAfterS: 3_600 };

  const nearlyFull = ports(ofEach - 2);
  await checkKeyBound(sub, nearlyFull);
  await checkKeyBound({ sid: "AC1", ancestors: ["AC0"] }, nearlyFull);
  await assert.rejects(checkKeyBound(sub, nearlyFull), refusal);
  clock.now += 60_000; // None of the keys was kept: the store has room again.
  await checkKeyBound(sub, nearlyFull);
  await assert.rejects(checkKeyBound(sub, ports(ofEach)), refusal);
});
