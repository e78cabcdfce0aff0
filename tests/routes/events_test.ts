import assert from "node:assert/strict";
import { mock } from "node:test";
import { createStreamPlaces } from "../../core/webhooks/event_places.ts";
import { eventLimits } from "../../core/webhooks/event_limits.ts";
import type { Fault } from "../../core/base/faults.ts";
import { eventTypes } from "../../core/model/event_types.ts";
import { resources } from "../../core/model/resources/mod.ts";
import { startApp } from "../support/service/app.ts";
import { askEvents, openEvents, readerOf } from "../support/service/event_reader.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { assertFits } from "../support/service/openapi.ts";
import { makeSample, type SampledName, sampledNames } from "../support/service/samples.ts";

const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };

Deno.test("GET …/Events sends the changes of a call, each record as its address has it", async () => {
  using app = await startApp();
  const events = await openEvents(app, app.root, { query: "?Type=call" });

  const { sid } = (await app.root.post("Calls.json", form)).json();
  const made = await events.data();
  assertFits("Event", made);
  assert.deepEqual([made.type, made.change, made.sid], ["call", "created", sid]);
  assert.deepEqual(made.record, (await app.root.get(`Calls/${sid}.json`)).json());

  await app.root.post(`Calls/${sid}.json`, { Status: "canceled" });
  const ended = await events.data();
  assert.deepEqual([ended.change, ended.record.status], ["updated", "canceled"]);
  assert.ok(ended.id > made.id);
  await app.root.delete(`Calls/${sid}`);
  await events.close();
});

const sampled = Object.entries(eventTypes).filter(([, name]) =>
  (sampledNames as string[]).includes(name)
);

for (const [type, name] of sampled) {
  Deno.test(`an event of type ${type} has the record of ${resources[name].path}`, async () => {
    using app = await startApp();
    const events = await openEvents(app, app.root, { query: `?Type=${type}` });
    const sid = await makeSample(app, app.root, { name: name as SampledName });
    const shown = await events.data();
    assert.equal(shown.sid, sid);
    assert.deepEqual(
      shown.record,
      (await app.root.get(`${resources[name].path}/${sid}.json`)).json(),
    );
    await events.close();
  });
}

Deno.test("Type and Sid say which events are wanted; a wrong one is named", async () => {
  using app = await startApp();
  const [one, other] = [
    (await app.root.post("Calls.json", form)).json().sid,
    (await app.root.post("Calls.json", form)).json().sid,
  ];
  const events = await openEvents(app, app.root, { query: `?Type=call,notification&Sid=${one}` });
  const base = { sid: app.ports.newSid("NO"), accountSid: app.root.sid };
  const dates = { dateCreated: app.clock.now, dateUpdated: app.clock.now };
  for (const callSid of [other, one]) {
    await app.ports.records.notifications.insert({
      record: {
        ...base,
        ...dates,
        sid: app.ports.newSid("NO"),
        callSid,
        apiVersion: "2012-04-24",
        log: 0,
        errorCode: 11200,
        moreInfo: "http://api.test/errors/11200",
        messageText: "Cannot fetch",
        messageDate: app.clock.now,
        requestUrl: null,
        requestMethod: null,
        requestVariables: null,
        responseHeaders: null,
        responseBody: null,
        requestId: null,
      },
    });
  }
  await app.root.post(`Calls/${other}.json`, { Status: "canceled" });
  await app.root.post(`Calls/${one}.json`, { Status: "canceled" });
  assert.equal((await events.data()).record.call_sid, one);
  assert.equal((await events.data()).sid, one);
  await events.close();

  for (
    const [query, name] of [
      ["?Type=calls", "Type"],
      ["?Sid=abc", "Sid"],
      ["?LastEventId=1", "LastEventId"],
      ["?Follow=perhaps", "Follow"],
    ]
  ) {
    const refused = await app.root.get(`Events${query}`, { Accept: "application/json" });
    assert.equal(refused.status, 400, query);
    assert.match(refused.json().message, new RegExp(`${name} must be`), query);
  }
  const refused = await askEvents(app, app.root, { lastEventId: "yesterday" });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /Last-Event-ID must be the id of an event/);
});

Deno.test("Last-Event-ID and LastEventId resume a stream; Follow=false ends it after what has happened", async () => {
  using app = await startApp();
  const events = await openEvents(app, app.root);
  const { sid } = (await app.root.post("Calls.json", form)).json();
  const { id } = await events.data();
  await events.close();
  await app.root.post(`Calls/${sid}.json`, { Status: "canceled" });

  for (const asked of [{ lastEventId: id }, { query: `?LastEventId=${id}&Follow=false` }]) {
    const again = readerOf(await askEvents(app, app.root, asked));
    const shown = await again.data();
    assert.deepEqual([shown.sid, shown.record.status], [sid, "canceled"]);
    const opened = await again.next();
    assert.equal(opened.name, "open");
    if (asked.query === undefined) await again.close();
    else {
      assert.equal(JSON.parse((await again.next()).data).reason, "complete");
      assert.ok(await again.isOver());
    }
    const none = readerOf(
      await askEvents(app, app.root, { query: `?LastEventId=${opened.id}&Follow=false` }),
    );
    assert.equal((await none.next()).name, "open");
  }
});

Deno.test("an account's events go to itself and those above it, by its own path, and to no other", async () => {
  using app = await startApp();
  const [mine, other] = [
    await app.subAccount(app.root, "mine"),
    await app.subAccount(app.root, "other"),
  ];
  assert.equal((await askEvents(app, other, { account: mine.sid })).status, 403);
  assert.equal((await askEvents(app, mine, { account: app.root.sid })).status, 403);
  assert.equal((await askEvents(app, { ...mine, token: "wrong" })).status, 401);
  const readers = [
    await openEvents(app, mine),
    await openEvents(app, app.root, { account: mine.sid }),
  ];
  const strangers = [await openEvents(app, other), await openEvents(app, app.root)];

  const { sid } = (await mine.post("Calls.json", form)).json();
  await other.post("Clients.json", { Login: "zoe", Password: "secret" });
  const [own, roots] = [
    (await other.post("Calls.json", form)).json().sid,
    (await app.root.post("Calls.json", form)).json().sid,
  ];
  for (const reader of readers) assert.equal((await reader.data()).sid, sid);
  assert.equal((await strangers[0]!.data()).sid, own);
  assert.equal((await strangers[1]!.data()).sid, roots);
  for (const reader of [...readers, ...strangers]) await reader.close();
});

Deno.test("a stream whose reader is slow ends with an event that says so, and goes on from its last id", async () => {
  using app = await startApp();
  const events = await openEvents(app, app.root, { query: "?Type=call" });
  await app.root.post("Calls.json", form);
  const all = eventLimits.waiting + 1;
  for (let n = 0; n < all; n++) await app.root.post("Calls.json", form);

  const read = [];
  let one = await events.next();
  for (; one.name === "message"; one = await events.next()) read.push(one.id);
  assert.equal(one.name, "end");
  assert.deepEqual(JSON.parse(one.data).reason, "slow");
  assert.ok(await events.isOver());
  assert.ok(read.length < 10, String(read.length)); // What was on its way.
  const query = `?Type=call&Follow=false&LastEventId=${read.at(-1)}`;
  const again = readerOf(await askEvents(app, app.root, { query }));
  for (let n = read.length; n < all + 1; n++) read.push((await again.data()).id);
  assert.equal(new Set(read).size, all + 1);
  await again.close();
});

Deno.test("an account has so many streams at an instance; one that closes makes room", async () => {
  using app = await startApp();
  const sub = await app.subAccount(app.root, "dev");
  const open = [];
  for (let n = 0; n < eventLimits.streamsOfAccount; n++) open.push(await openEvents(app, sub));
  const refused = await askEvents(app, sub);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("Retry-After"), "10");
  assert.match(await refused.text(), /has 20 event streams open here; close one/);
  open.push(await openEvents(app, app.root)); // Of another account.
  const byRoot = await askEvents(app, app.root, { account: sub.sid });
  assert.equal(byRoot.status, 200, "the root account looks at streams of a full account");
  await byRoot.body!.cancel();
  await open.shift()!.close();
  open.push(await openEvents(app, sub));
  for (const one of open) await one.close();
});

Deno.test("a tenant's sub-accounts take no more places than the tenant", () => {
  const take = createStreamPlaces();
  const root = { sid: "AC0", ancestors: [] };
  const account = (sid: string, ...above: string[]) => ({ sid, ancestors: ["AC0", ...above] });
  const fill = (...accounts: ReturnType<typeof account>[]) => {
    let taken = 0;
    for (const one of accounts) {
      for (let n = 0; n < eventLimits.streams; n++) {
        try {
          take({ caller: one, account: one });
          taken++;
        } catch (error) {
          assert.equal((error as Fault).fault, "throttled");
          break;
        }
      }
    }
    return taken;
  };
  const subs = Array.from({ length: 26 }, (_, n) => account(`AC1-${n}`, "AC1"));
  assert.equal(fill(account("AC1"), ...subs), eventLimits.streamsOfTenant);
  for (let n = 2; n < eventLimits.firstStreams; n++) {
    const below = Array.from({ length: 10 }, (_, at) => account(`AC${n}-${at}`, `AC${n}`));
    assert.ok(fill(...below) > 0, `tenant ${n}`);
  }
  for (let n = 0; n < eventLimits.streamsOfRoot; n++) take({ caller: root, account: root });
});

Deno.test("a stream shows that it is alive, and ends once its credentials are no longer valid", async () => {
  using app = await startApp();
  const sub = await app.subAccount(app.root, "dev");
  const timers = mock.timers;
  timers.enable({ apis: ["setInterval"] });
  try {
    const response = await askEvents(app, sub);
    const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    while (!/event: open/.test((await body.read()).value!));
    timers.tick(eventLimits.beatMs);
    assert.equal((await body.read()).value, ": alive\n\n");
    await app.root.post(`/2012-04-24/Accounts/${sub.sid}.json`, { Password: "another" });
    timers.tick(eventLimits.beatMs);
    assert.match((await body.read()).value!, /event: end\ndata: \{"reason":"access"/);
    assert.ok((await body.read()).done);
  } finally {
    timers.reset();
  }
});

Deno.test("streams end with an event when the service stops", async () => {
  using app = await startApp();
  const events = await openEvents(app, app.root);
  app.ports.changes.end();
  assert.equal(JSON.parse((await events.next()).data).reason, "shutdown");
  assert.ok(await events.isOver());
});

Deno.test("HEAD of …/Events answers at once, without a stream", async () => {
  using app = await startApp();
  const { status, headers } = await app.root.request("HEAD", "Events");
  assert.equal(status, 200);
  assert.equal(headers.get("Content-Type"), "text/event-stream; charset=utf-8");
});

Deno.test("events of one instance reach a stream at another one of a shared store", async () => {
  await using endpoint = startKvConnect();
  using here = await startApp({ shared: { location: endpoint.url, instance: 0 } });
  using there = await startApp({ shared: { location: endpoint.url, instance: 1 } });
  const events = await openEvents(here, here.root, { query: "?Type=call" });
  const { sid } = (await there.root.post("Calls.json", form)).json();
  assert.equal((await events.data()).sid, sid);
  await here.root.post(`Calls/${sid}.json`, { Status: "canceled" });
  assert.equal((await events.data()).record.status, "canceled");
  await events.close();
});
