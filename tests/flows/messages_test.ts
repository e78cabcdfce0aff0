import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import type { MessageRoute } from "../../core/model/ports/providers.ts";
import { MaybeDelivered } from "../../core/model/values/undelivered.ts";
import type { Message } from "../../core/model/resources/messages.ts";
import { type App, startApp } from "../support/service/app.ts";

async function send(app: App, form: Record<string, string> = {}): Promise<string> {
  const wanted = { From: "+15550001", To: "+15550002", Body: "hello", ...form };
  const { sid } = (await app.root.post("SMS/Messages.json", wanted)).json();
  await app.runJobs();
  return sid;
}

const messageOf = async (app: App, sid: string) =>
  (await app.root.get(`SMS/Messages/${sid}.json`)).json();

async function notifications(app: App): Promise<string[]> {
  const { notifications } = (await app.root.get("Notifications.json")).json();
  return notifications.map((one: { message_text: string }) => one.message_text);
}

/** A route to every number that begins so; it keeps what it took. */
function routeTo(prefix: string, send?: () => Promise<void>) {
  const taken: Message[] = [];
  const route: MessageRoute = {
    reaches: ({ to }) => Promise.resolve(to.startsWith(prefix)),
    send: async (message) => {
      taken.push(message);
      await send?.();
    },
  };
  return { taken, route };
}

Deno.test("a message that no route leads to fails, with a Notification and its callback", async () => {
  using app = await startApp();

  const sid = await send(app, { StatusCallback: "https://app.test/sms?x=1" });

  const { status, date_sent } = await messageOf(app, sid);
  assert.deepEqual([status, date_sent], ["failed", null]);
  assert.deepEqual(await notifications(app), [
    `Cannot route the message: ${sid}: no route to +15550002 is configured`,
  ]);
  assert.equal(app.fetched.length, 1);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(await app.fetched[0]!.text())), {
    MessageSid: sid,
    SmsSid: sid,
    AccountSid: app.root.sid,
    From: "+15550001",
    To: "+15550002",
    MessageStatus: "failed",
    SmsStatus: "failed",
    ErrorCode: "21612",
    ApiVersion: "2012-04-24",
    Timestamp: "Wed, 31 Jan 2024 12:00:00 +0000",
  });
});

Deno.test("a message leaves to no destination that the operator does not allow", async () => {
  const { taken, route } = routeTo("+");
  using app = await startApp({ ports: { messageRoutes: [route] } });
  app.ports.settings.trunks.prefixes = ["+1555000"];

  const sids = [await send(app, {}), await send(app, { To: "+15551112" })];
  await app.runJobs();

  assert.deepEqual(taken.map(({ to }) => to), ["+15550002"]);
  const states = await Promise.all(sids.map(async (sid) => (await messageOf(app, sid)).status));
  assert.deepEqual(states, ["sent", "failed"]);
});

Deno.test("a message leaves by the first route that leads to its recipient, once", async () => {
  const [national, world] = [routeTo("+44"), routeTo("+")];
  using app = await startApp({ ports: { messageRoutes: [national.route, world.route] } });

  const sid = await send(app, {
    StatusCallback: "https://app.test/sms",
    StatusCallbackMethod: "GET",
  });
  await app.runJobs();

  assert.deepEqual([national.taken.length, world.taken.map(({ sid }) => sid)], [0, [sid]]);
  const { status, date_sent } = await messageOf(app, sid);
  assert.deepEqual([status, date_sent], ["sent", "2024-01-31T12:00:00.000Z"]);
  assert.equal(new URL(app.fetched[0]!.url).searchParams.get("MessageStatus"), "sent");
  assert.deepEqual(await notifications(app), []);
});

Deno.test("a route that does not take a message is tried again, then the message fails", async () => {
  const { route, taken } = routeTo("+", () => Promise.reject(new Error("the line is dead")));
  using app = await startApp({ ports: { messageRoutes: [route] } });

  const sid = await send(app);
  assert.equal((await messageOf(app, sid)).status, "sending");
  for (let attempt = 2; attempt <= limits.messageAttempts; attempt++) {
    app.clock.now += 600_000;
    await app.runJobs();
  }

  assert.equal(taken.length, limits.messageAttempts);
  assert.equal((await messageOf(app, sid)).status, "failed");
  assert.deepEqual(await notifications(app), [
    `Cannot send the message: ${sid}: the line is dead`,
  ]);
});

Deno.test("the server that may have a message is kept where its record could not be written", async () => {
  const held: (string | null)[] = [];
  using app = await startApp({ ports: { messageRoutes: [] } });
  const { messages } = app.ports.records;
  const { update } = messages;
  app.ports.messageRoutes.push({
    reaches: () => Promise.resolve(true),
    send({ heldBy }) {
      held.push(heldBy);
      if (held.length > 1) return Promise.resolve();
      messages.update = () => {
        messages.update = update;
        return Promise.reject(new Error("the record cannot be written"));
      };
      return Promise.reject(new MaybeDelivered("no answer came", "server one"));
    },
  });

  const sid = await send(app);
  assert.equal((await messageOf(app, sid)).status, "sending");
  app.clock.now += 600_000;
  await app.runJobs();

  assert.deepEqual(held, [null, "server one"]);
  assert.equal((await messageOf(app, sid)).status, "sent");
});

Deno.test("a message that waited for too long fails without another attempt", async () => {
  const { route, taken } = routeTo("+");
  using app = await startApp({ ports: { messageRoutes: [route] } });
  const wanted = { From: "+15550001", To: "+15550002", Body: "hello" };
  const form = { ...wanted, StatusCallback: "https://app.test/sms" };
  const { sid } = (await app.root.post("SMS/Messages.json", form)).json();

  app.clock.now += limits.messageWaitMs + 1; // Its job did not run: the service was down.
  await app.runJobs();

  assert.deepEqual([(await messageOf(app, sid)).status, taken], ["failed", []]);
  assert.deepEqual(await notifications(app), [
    `Cannot send the message: ${sid}: the message was queued for more than 24 h`,
  ]);
  assert.equal(new URLSearchParams(await app.fetched[0]!.text()).get("SmsStatus"), "failed");
});

const number = "+12025550143";

/** Makes a sub-account that holds a number. */
async function holder(app: App, fields: Record<string, string>) {
  const account = await app.subAccount(app.root, "holder");
  const form = { PhoneNumber: number, ...fields };
  const answer = await account.post("IncomingPhoneNumbers.json", form);
  assert.equal(answer.status, 200, answer.text);
  return account;
}

const receivedBy = async (account: App["root"]) =>
  (await account.get("SMS/Messages.json")).json().messages;

Deno.test("a message to a number of this service is received by its account, and SmsUrl requested", async () => {
  using app = await startApp();
  const account = await holder(app, { SmsUrl: "https://app.test/in", SmsMethod: "GET" });

  const sid = await send(app, { To: number, StatusCallback: "https://app.test/sms" });

  const [message] = await receivedBy(account);
  assert.equal((await messageOf(app, sid)).status, "sent");
  assert.deepEqual(
    [message.status, message.direction, message.from, message.to, message.body, message.date_sent],
    ["received", "inbound", "+15550001", number, "hello", "2024-01-31T12:00:00.000Z"],
  );
  const asked = app.fetched.map(({ url }) => new URL(url)).find(({ pathname }) =>
    pathname === "/in"
  );
  assert.deepEqual(Object.fromEntries(asked!.searchParams), {
    SmsSid: message.sid,
    MessageSid: message.sid,
    AccountSid: account.sid,
    From: "+15550001",
    To: number,
    Body: "hello",
    ApiVersion: "2012-04-24",
    NumMedia: "0",
    ToCountry: "US",
    ToState: "DC",
  });
  assert.deepEqual(app.fetched.map(({ url }) => new URL(url).pathname).sort(), ["/in", "/sms"]);
  const { TextMessageOutbound: out, TextMessageInboundToApp: toApp } = app.ports.counters;
  assert.deepEqual([out, toApp], [1, 1]);
});

Deno.test("the application of a number comes before its SmsUrl", async () => {
  using app = await startApp();
  const account = await holder(app, { SmsUrl: "https://app.test/number" });
  const form = { FriendlyName: "sms", Kind: "sms", RcmlUrl: "https://app.test/application" };
  const { sid: SmsApplicationSid } = (await account.post("Applications.json", form)).json();
  const [held] = (await account.get("IncomingPhoneNumbers.json")).json();
  await account.post(`IncomingPhoneNumbers/${held.sid}`, { SmsApplicationSid });

  await send(app, { To: number });

  assert.deepEqual(app.fetched.map(({ url }) => url), ["https://app.test/application"]);
});

Deno.test("a number without SmsUrl receives, with a Notification to its account", async () => {
  using app = await startApp();
  const account = await holder(app, {});

  const sid = await send(app, { To: number });

  const [message] = await receivedBy(account);
  const { notifications: told } = (await account.get("Notifications.json")).json();
  assert.equal((await messageOf(app, sid)).status, "sent");
  assert.equal(message.status, "received");
  assert.deepEqual(told.map((one: { message_text: string }) => one.message_text), [
    `Cannot pass the message to an application: ${message.sid}: ${number} has no SmsUrl`,
  ]);
  assert.deepEqual(await notifications(app), []);
});

Deno.test("numbers of unrelated and suspended accounts are not within reach", async () => {
  using app = await startApp();
  const account = await holder(app, { SmsUrl: "https://app.test/in" });
  const stranger = await app.subAccount(app.root, "stranger");
  const form = { From: "+15550001", To: number, Body: "hello" };

  await stranger.post("SMS/Messages", form);
  await app.root.post(`/2012-04-24/Accounts/${account.sid}`, { Status: "suspended" });
  await app.root.post("SMS/Messages", form);
  await app.runJobs();

  const statuses = [await receivedBy(stranger), await receivedBy(app.root)].flat()
    .map(({ status }) => status);
  assert.deepEqual(statuses, ["failed", "failed"]);
  assert.deepEqual(app.fetched, []);
});
