import assert from "node:assert/strict";
import type { MessageReport } from "../../core/protocol/messages.ts";
import { messageTaker } from "../../core/messages/take_message.ts";
import { type App, startApp } from "../support/service/app.ts";

/** A service with the Client alice of a sub-account; `send` is what its companion reports. */
async function startLab(app: App) {
  const account = await app.subAccount(app.root, "account");
  const form = { Login: "alice", Password: "secret" };
  const { sid } = (await account.post("Clients.json", form)).json();
  const take = messageTaker(app.ports);
  const report = { accountSid: account.sid, clientSid: sid, login: "alice", body: "hello" };
  const send = async (uri: string, changes: Partial<MessageReport> = {}) =>
    (await take({ ...report, uri, ...changes })).status;
  const recorded = async () =>
    (await account.get("SMS/Messages.json")).json().messages
      .map(({ to, status }: { to: string; status: string }) => [to, status]);
  return { account, clientSid: sid as string, send, recorded };
}

Deno.test("takeMessage() answers 403 to a Client that may not send, and records nothing", async () => {
  using app = await startApp();
  const { account, clientSid, send, recorded } = await startLab(app);
  const another = { clientSid: `CL${"0".repeat(32)}` };

  const statuses = [
    await send("sip:alice@sip.test", another),
    await send("sip:alice@sip.test", { login: "bob" }),
  ];
  await account.post(`Clients/${clientSid}`, { Status: "0" });
  statuses.push(await send("sip:alice@sip.test"));
  await account.post(`Clients/${clientSid}`, { Status: "1" });
  const address = `/2012-04-24/Accounts/${account.sid}.json`;
  await app.root.post(address, { Status: "suspended" });
  statuses.push(await send("sip:alice@sip.test"));
  await app.root.post(address, { Status: "active" });

  assert.deepEqual(statuses, [403, 403, 403, 403]);
  assert.deepEqual(await recorded(), []);
  assert.equal(await send("sip:alice@sip.test"), 480);
});

Deno.test("takeMessage() lets no Client send to numbers under STRICT_SMS_FROM", async () => {
  using app = await startApp();
  Object.assign(app.ports.settings, { strictSmsFrom: true });
  const { account, send, recorded } = await startLab(app);
  await account.post("IncomingPhoneNumbers", { PhoneNumber: "+12025550143" });

  const toNumber = await send("sip:+12025550143@sip.test");
  const { notifications } = (await account.get("Notifications.json")).json();

  assert.equal(toNumber, 403);
  assert.deepEqual(await recorded(), [["+12025550143", "failed"]]);
  assert.equal(notifications[0].error_code, 21606);
});

Deno.test("takeMessage() takes messages to an operator's route, in any spelling of the number", async () => {
  const reached: string[] = [];
  using app = await startApp({
    ports: {
      messageRoutes: [{
        reaches: ({ to }) => Promise.resolve(to.startsWith("+44")),
        send: ({ from, to }) => Promise.resolve(void reached.push(`${from} ${to}`)),
      }],
    },
  });
  const { send, recorded } = await startLab(app);

  const statuses = [
    await send("sip:+442079460123@SIP.test;user=phone"),
    await send("tel:+44-20-7946-0123;phone-context=x"),
    await send("sip:+33123456789@sip.test"),
    await send("mailto:bob@sip.test"),
  ];
  await app.runJobs();

  assert.deepEqual(statuses, [202, 202, 404, 404]);
  assert.deepEqual(reached, Array(2).fill("client:alice +442079460123"));
  assert.deepEqual((await recorded()).map(([, status]: string[]) => status).sort(), [
    "failed",
    "failed",
    "sent",
    "sent",
  ]);
});

Deno.test("takeMessage() hands a Client's own headers to the number's SmsUrl", async () => {
  using app = await startApp();
  const { account, send } = await startLab(app);
  const form = { PhoneNumber: "+12025550143", SmsUrl: "https://app.test/in", SmsMethod: "GET" };
  await account.post("IncomingPhoneNumbers", form);

  const headers = { "X-Ticket": "7", "Subject": "not one of theirs" };
  assert.equal(await send("sip:+12025550143@sip.test", { headers }), 202);
  await app.runJobs();

  const { searchParams } = new URL(app.fetched[0]!.url);
  assert.equal(searchParams.get("SipHeader_X-Ticket"), "7");
  assert.equal(searchParams.get("From"), "client:alice");
  assert.equal([...searchParams.keys()].filter((name) => name.startsWith("SipHeader")).length, 1);
});
