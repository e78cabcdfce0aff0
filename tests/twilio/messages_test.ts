import assert from "node:assert/strict";
import { settle } from "../../core/messages/settle.ts";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

const text = { to: "+14155550102", from: "+14155550101", body: "Hello" };

Deno.test("npm twilio sends, fetches and lists Messages, also below SMS", async () => {
  await using lab = await startTwilioLab();

  const made = await lab.client.messages.create(text);
  const fetched = await lab.client.messages(made.sid).fetch();

  assert.equal(fetched.body, "Hello");
  assert.equal(fetched.apiVersion, "2010-04-01");
  assert.equal((await lab.client.messages.list({ to: text.to })).length, 1);
  const other = await (await lab.ask("GET", "SMS/Messages.json")).json();
  assert.equal(other.messages[0].sid, made.sid);
});

Deno.test("a Message without To, From or Body is refused with Twilio's code", async () => {
  await using lab = await startTwilioLab();
  const { messages } = lab.client;
  const codeOf = async (form: Record<string, string>) =>
    (await (await lab.ask("POST", "Messages.json", form)).json()).code;

  assert.equal(await codeOf({ From: text.from, Body: "a" }), 21604);
  assert.equal(await codeOf({ To: text.to, Body: "a" }), 21603);
  assert.equal(await codeOf({ To: text.to, From: text.from }), 21602);
  await assert.rejects(messages.create({ ...text, mediaUrl: ["https://app.test/a.png"] }), {
    status: 400,
    message: /MediaUrl is not supported/,
  });
});

Deno.test("a Message of up to 1,600 characters is counted in segments", async () => {
  await using lab = await startTwilioLab();
  const { messages } = lab.client;
  const segmentsOf = async (body: string) => (await messages.create({ ...text, body })).numSegments;

  assert.equal(await segmentsOf("x".repeat(160)), "1");
  assert.equal(await segmentsOf("x".repeat(161)), "2");
  assert.equal(await segmentsOf("€".repeat(80)), "1");
  assert.equal(await segmentsOf("ш".repeat(70)), "1");
  assert.equal(await segmentsOf("ш".repeat(71)), "2");
  assert.equal(await segmentsOf("x".repeat(1_600)), "11");
  await assert.rejects(messages.create({ ...text, body: "x".repeat(1_601) }), { code: 21617 });
  const short = { From: text.from, To: text.to, Body: "x".repeat(161) };
  assert.equal((await lab.app.root.post("SMS/Messages.json", short)).json().code, 21605);
});

Deno.test("a Message has the statuses of Twilio, by the reports of carriers", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { messages } = app.ports.records;
  const settled = async (steps: Parameters<typeof settle>[1][]) => {
    const { sid } = await client.messages.create(text);
    for (const step of steps) {
      await messages.update(app.root.sid, sid, (now) => settle(now, step));
    }
    const { status, errorCode, errorMessage } = await client.messages(sid).fetch();
    return [status, errorCode, errorMessage];
  };
  const at = app.clock.now;
  const taken = { at, delivery: { carrierId: "1" } };

  assert.deepEqual(await settled([]), ["queued", null, null]);
  assert.deepEqual(await settled([{ at }]), ["sent", null, null]);
  assert.deepEqual(await settled([taken]), ["sent", null, null]);
  assert.deepEqual(await settled([{ ...taken, delivery: { carrierId: "2" } }, { at }]), [
    "delivered",
    null,
    null,
  ]);
  const undelivered = "Cannot deliver the message";
  assert.deepEqual(
    await settled([
      { ...taken, delivery: { carrierId: "3" } },
      { at, fault: "messageUndelivered" },
    ]),
    ["undelivered", 30005, undelivered],
  );
  assert.deepEqual((await settled([{ at, fault: "messageRefused" }])).slice(0, 2), [
    "failed",
    30007,
  ]);
});

Deno.test("StatusCallback of a Message is requested when a carrier took it, and at its receipt", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await client.messages.create({ ...text, statusCallback: "https://app.test/s" });
  const contract = {
    From: text.from,
    To: text.to,
    Body: "Hi",
    StatusCallback: "https://app.test/c",
  };
  const other = (await app.root.post("SMS/Messages.json", contract)).json().sid;
  for (const [id, carrierId] of [[sid, "1"], [other, "2"]] as const) {
    for (const step of [{ at: 0, delivery: { carrierId } }, { at: 0 }]) {
      await app.ports.records.messages.update(app.root.sid, id, (now) => settle(now, step));
    }
  }
  await app.runJobs();

  const told = async (url: string) =>
    await Promise.all(
      app.fetched.filter((request) => request.url === url)
        .map(async (request) => new URLSearchParams(await request.text()).get("MessageStatus")),
    );
  assert.deepEqual(await told("https://app.test/s"), ["sent", "delivered"]);
  assert.deepEqual(await told("https://app.test/c"), ["sent"]);
});

Deno.test("the text of a Message is redacted, and a Message removed, once it is sent", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await client.messages.create(text);
  await assert.rejects(client.messages(sid).update({ body: "" }), { status: 409, code: 20009 });
  await assert.rejects(client.messages(sid).remove(), { status: 409, code: 20009 });
  await app.ports.records.messages.update(app.root.sid, sid, (now) => settle(now, { at: 0 }));

  await assert.rejects(client.messages(sid).update({ body: "other" }), { message: /Body must be/ });
  assert.equal((await client.messages(sid).update({ body: "" })).body, "");
  assert.equal((await app.root.get(`SMS/Messages/${sid}.json`)).json().body, "");
  assert.deepEqual(await client.messages(sid).media.list(), []);
  assert.equal(await client.messages(sid).remove(), true);
  await assert.rejects(client.messages(sid).fetch(), { status: 404 });
});

const hour = 3_600_000;

/** A lab that sends through a carrier, and what it took. */
async function carrierLab() {
  const taken: string[] = [];
  const carrier = {
    reaches: () => Promise.resolve(true),
    send: ({ body }: { body: string }) => {
      taken.push(body);
      return Promise.resolve({});
    },
  };
  const lab = await startTwilioLab();
  lab.app.ports.messageRoutes.push(carrier);
  return { lab, taken };
}

Deno.test("a Message with SendAt is scheduled, and sent at its time, not before", async () => {
  const { lab, taken } = await carrierLab();
  await using _ = lab;
  const { app, client } = lab;
  const sendAt = new Date(app.clock.now + hour);
  const made = await client.messages.create({ ...text, sendAt, scheduleType: "fixed" });
  assert.deepEqual([made.status, made.dateSent], ["scheduled", null]);
  const contract = (await app.root.get(`SMS/Messages/${made.sid}.json`)).json();
  assert.equal(contract.status, "queued");

  app.clock.now += hour - 1_000;
  await app.runJobs();
  assert.deepEqual(taken, []);
  await assert.rejects(client.messages(made.sid).remove(), { status: 409, code: 20009 });
  app.clock.now += 1_000;
  await app.runJobs();

  assert.deepEqual(taken, ["Hello"]);
  assert.equal((await client.messages(made.sid).fetch()).status, "sent");
  await assert.rejects(client.messages(made.sid).update({ status: "canceled" }), {
    status: 409,
    code: 30409,
  });
});

Deno.test("a scheduled Message that is canceled is never sent, and its callback says so", async () => {
  const { lab, taken } = await carrierLab();
  await using _ = lab;
  const { app, client } = lab;
  const made = await client.messages.create({
    ...text,
    sendAt: new Date(app.clock.now + hour),
    scheduleType: "fixed",
    statusCallback: "https://app.test/status",
  });

  const canceled = await client.messages(made.sid).update({ status: "canceled" });
  assert.equal(canceled.status, "canceled");
  assert.equal((await client.messages(made.sid).update({ status: "canceled" })).sid, made.sid);
  app.clock.now += 2 * hour;
  await app.runJobs();

  assert.deepEqual(taken, []);
  const told = await Promise.all(
    app.fetched.map(async (one) => new URLSearchParams(await one.text()).get("MessageStatus")),
  );
  assert.deepEqual(told, ["canceled"]);
  assert.equal(await client.messages(made.sid).remove(), true);
});

Deno.test("SendAt needs a time ahead and ScheduleType, and a MessagingServiceSid is refused", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const at = (ms: number) => ({
    sendAt: new Date(app.clock.now + ms),
    scheduleType: "fixed" as const,
  });
  const refused = (more: object, code: number) =>
    assert.rejects(client.messages.create({ ...text, ...more }), { status: 400, code });

  await refused(at(-1_000), 35114);
  await refused(at(35 * 24 * hour + 1_000), 35114);
  await refused({ sendAt: new Date(app.clock.now + hour) }, 35114);
  await refused({ scheduleType: "fixed" }, 35114);
  await assert.rejects(
    client.messages.create({ ...text, ...at(hour), messagingServiceSid: `MG${"0".repeat(32)}` }),
    { status: 400, message: /MessagingServiceSid is not supported.*send From/ },
  );
  const form = { From: text.from, To: text.to, Body: "x", ScheduleType: "fixed" };
  const answer = await lab.ask("POST", "Messages.json", { ...form, SendAt: "tomorrow" });
  assert.equal(answer.status, 400);
  assert.match((await answer.json()).message, /SendAt must be an ISO 8601 time/);
  assert.deepEqual(await client.messages.list(), []);
});

Deno.test("a Message fails when its ValidityPeriod is over, counted from SendAt", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  app.ports.messageRoutes.push({
    reaches: () => Promise.resolve(true),
    send: () => Promise.reject(new Error("it is down")),
  });
  const now = await client.messages.create({ ...text, validityPeriod: 60 });
  const sendAt = new Date(app.clock.now + hour);
  const wanted = { ...text, sendAt, scheduleType: "fixed" as const, validityPeriod: 60 };
  const later = await client.messages.create(wanted);
  await app.runJobs();
  assert.equal((await client.messages(now.sid).fetch()).status, "queued");

  app.clock.now += 60_000;
  await app.runJobs();
  const failed = await client.messages(now.sid).fetch();
  assert.deepEqual([failed.status, failed.errorCode], ["failed", 30036]);
  assert.equal((await client.messages(later.sid).fetch()).status, "scheduled");
  app.clock.now += hour;
  await app.runJobs();
  assert.equal((await client.messages(later.sid).fetch()).errorCode, 30036);
  await assert.rejects(client.messages.create({ ...text, validityPeriod: 86_401 }), {
    status: 400,
    message: /ValidityPeriod/,
  });
});

Deno.test("SmartEncoded sends letters of the GSM alphabet for those that look the same", async () => {
  const { lab, taken } = await carrierLab();
  await using _ = lab;
  const body = "\u201cIt\u2019s ready\u201d \u2013 call us\u2026\u00a0\u200bÑandú €5";
  const smart = await lab.client.messages.create({ ...text, body, smartEncoded: true });
  const asIs = await lab.client.messages.create({ ...text, body });
  await lab.app.runJobs();

  const encoded = '"It\'s ready" - call us... Ñandú €5';
  assert.deepEqual(taken.toSorted(), [encoded, body].toSorted());
  assert.deepEqual([smart.body, asIs.body], [encoded, body]);
  const letters = "\u2019".repeat(100);
  const counted = { ...text, body: letters, smartEncoded: true };
  assert.equal((await lab.client.messages.create(counted)).numSegments, "1");
  assert.equal((await lab.client.messages.create({ ...text, body: letters })).numSegments, "2");
});

Deno.test("SmartEncoded refuses a Body that is empty or too long once it is encoded", async () => {
  await using lab = await startTwilioLab();
  const send = (body: string) => lab.client.messages.create({ ...text, body, smartEncoded: true });

  await assert.rejects(send("\u200b"), { status: 400, code: 21602 });
  await assert.rejects(send("\u2026".repeat(534)), { status: 400, code: 21617 });
  assert.equal((await send("\u2026".repeat(533))).body.length, 1_599);
});

Deno.test("the ends of a Message and of a call may be written as people write numbers", async () => {
  await using lab = await startTwilioLab();
  const ends = { to: "+1 (415) 555-0102", from: "+1-415-555-0101" };
  const message = await lab.client.messages.create({ ...ends, body: "Hello" });
  assert.deepEqual([message.to, message.from], [text.to, text.from]);
  await lab.client.incomingPhoneNumbers.create({ phoneNumber: text.from });
  const twiml = "<Response><Say>Hello</Say></Response>";
  const call = await lab.client.calls.create({ ...ends, twiml });
  assert.deepEqual([call.to, call.from], [text.to, text.from]);
  const alice = { to: "client:alice.1-2", from: "Alice (home) 2", twiml };
  const named = await lab.client.calls.create(alice);
  assert.deepEqual([named.to, named.from], [alice.to, alice.from]);
});

Deno.test("a Message to a number may be from a name, under STRICT_SMS_FROM from an allowed one", async () => {
  const { lab, taken } = await carrierLab();
  await using _ = lab;
  const { app, client } = lab;
  const named = { ...text, from: "ACME Shop" };
  assert.equal((await client.messages.create(named)).from, "ACME Shop");
  await app.runJobs();
  assert.deepEqual(taken, [text.body]);

  for (const from of ["Twelve chars", "Ünicode", "a.b"]) {
    await assert.rejects(client.messages.create({ ...text, from }), { status: 400, code: 21212 });
  }
  await assert.rejects(client.messages.create({ ...named, to: "client:bob" }), { code: 21212 });
  const contract = { From: named.from, To: text.to, Body: text.body };
  assert.equal((await app.root.post("SMS/Messages.json", contract)).json().code, 21212);
  await app.root.post("Clients.json", { Login: "ACME", Password: "secret" });
  assert.equal((await client.messages.create({ ...text, from: "ACME" })).from, "client:ACME");

  Object.assign(app.ports.settings, { strictSmsFrom: true });
  await assert.rejects(client.messages.create(named), { status: 400, code: 21606 });
  Object.assign(app.ports.settings, { smsShortCodes: ["12345", "ACME Shop"] });
  assert.equal((await client.messages.create(named)).from, "ACME Shop");
});
