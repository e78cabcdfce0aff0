import assert from "node:assert/strict";
import twilio from "twilio";
import { settle } from "../../core/messages/settle.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, notifications, xml } from "../support/service/hand_companion.ts";
import { startTwilioLab, type TwilioLab } from "../support/service/twilio_lab.ts";

/** Calls and texts to a number that was created by Twilio's interface are answered as at Twilio. */

const ours = "+14155550101";
const theirs = "+14155550102";
const long = "All of our agents are busy. ".repeat(12).trim();

const formsAt = (app: App, path: string): Promise<Record<string, string>[]> =>
  Promise.all(
    app.fetched.filter(({ url }) => new URL(url).pathname === path)
      .map(async (one) => Object.fromEntries(new URLSearchParams(await one.clone().text()))),
  );

/** A call of a Client that has `settings`, to an address, from its beginning to its end. */
async function called(app: App, uri: string, settings: Record<string, string> = {}) {
  const login = "alice";
  const own = { Login: login, Password: "secret", ...settings };
  const { sid: clientSid } = await made(app.root, "Clients", own);
  const leg = companionOf(app, "CA" + "1".repeat(32));
  const coming = { type: "incoming", login, clientSid, uri, sipCallId: "c", headers: {} } as const;
  const script = await leg.report(coming);
  await leg.report({ type: "answered" });
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
  return script;
}

const events = { statusCallback: "https://app.test/events" };

Deno.test("StatusCallback of a number gets the end of a call alone, with Called and Caller", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const voiceUrl = "https://app.test/voice";
  await client.incomingPhoneNumbers.create({ phoneNumber: ours, voiceUrl, ...events });
  app.answers = () => xml("<Say>Hi</Say>");
  await called(app, `sip:${ours}@sip.test`);

  const told = await formsAt(app, "/events");
  assert.deepEqual(told.map(({ CallStatus }) => CallStatus), ["completed"]);
  const [asked] = await formsAt(app, "/voice");
  assert.deepEqual(
    [asked!.Called, asked!.Caller, asked!.To, asked!.From],
    [ours, "client:alice", ours, "client:alice"],
  );
});

Deno.test("a call shows the carrier's data about its caller, and null without any", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const voiceUrl = "https://app.test/voice";
  const { sid: numberSid } = await client.incomingPhoneNumbers.create({
    phoneNumber: ours,
    voiceUrl,
  });
  app.answers = () => xml("<Say>Hi</Say>");
  const verstats = ["TN-Validation-Passed-A", undefined];
  for (const verstat of verstats) {
    const sid = app.ports.newSid("CA");
    await companionOf(app, sid).report({
      type: "incomingNumber",
      numberSid,
      dialled: ours,
      from: { user: theirs, host: "carrier.test" },
      hops: 0,
      sipCallId: "s",
      headers: {},
      ...verstat !== undefined && { verstat },
    });
    const { stir_verstat } = await (await lab.ask("GET", `Calls/${sid}.json`)).json();
    assert.equal(stir_verstat, verstat ?? null);
  }
});

Deno.test("a number of /2012-04-24 reports ringing and the answer too", async () => {
  using app = await startApp();
  const form = { VoiceUrl: "https://app.test/voice", StatusCallback: events.statusCallback };
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: ours, ...form });
  app.answers = () => xml("<Say>Hi</Say>");
  await called(app, `sip:${ours}@sip.test`);

  const told = await formsAt(app, "/events");
  assert.deepEqual(told.map(({ CallStatus }) => CallStatus), [
    "ringing",
    "in-progress",
    "completed",
  ]);
  assert.ok(told.every((one) => !("Called" in one)));
});

Deno.test("a call of a Client is of the interface of its Application", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await client.applications.create({ voiceUrl: "https://app.test/voice" });
  app.answers = () => xml("<Record/>");
  const script = await called(app, "sip:anybody@sip.test", { VoiceApplicationSid: sid });

  const [asked] = await formsAt(app, "/voice");
  assert.equal(asked!.ApiVersion, "2010-04-01");
  const record = script.find(({ type }) => type === "record");
  assert.equal(record?.type === "record" && record.trim, false, "Twilio's default");
});

/**
 * Sends a text to a number of the lab, whose SmsUrl gives this answer; returns the texts sent back.
 */
async function answered(lab: TwilioLab, answer: () => Response): Promise<string[]> {
  const { app, client } = lab;
  const smsUrl = "https://app.test/sms";
  app.ports.messageRoutes.push({
    reaches: ({ to }) => Promise.resolve(to === theirs),
    send: () => Promise.resolve({ carrierId: "1" }),
  });
  await client.incomingPhoneNumbers.create({ phoneNumber: ours, smsUrl });
  app.answers = (request) => new URL(request.url).pathname === "/sms" ? answer() : new Response();
  await client.messages.create({ to: ours, from: theirs, body: "Is anybody there?" });
  await app.runJobs();
  await app.runJobs();
  const sent = await client.messages.list({ from: ours });
  return sent.map(({ body }) => body);
}

Deno.test("a text is sent to markup as at Twilio, and answered by as long a Message as there", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const response = new twilio.twiml.MessagingResponse();
  response.message({ action: "https://app.test/events" }, long);
  const document = () =>
    new Response(response.toString(), { headers: { "content-type": "text/xml" } });

  assert.deepEqual(await answered(lab, document), [long]);
  const [asked] = await formsAt(app, "/sms");
  const { SmsMessageSid, MessageSid, SmsStatus, NumSegments, NumMedia, ApiVersion } = asked!;
  assert.equal(SmsMessageSid, MessageSid);
  assert.deepEqual([SmsStatus, NumSegments, NumMedia, ApiVersion], [
    "received",
    "1",
    "0",
    "2010-04-01",
  ]);
  assert.equal((await client.messages(MessageSid!).fetch()).status, "received");
  assert.equal((await client.notifications.list({ log: 0 })).length, 0);
});

Deno.test("the callback of a Message in markup has Twilio's statuses, its receipt too", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const markup = `<Message statusCallback="/events">Yes</Message>`;
  assert.deepEqual(await answered(lab, () => xml(markup)), ["Yes"]);
  const [reply] = await client.messages.list({ from: ours });
  await app.ports.records.messages.update(
    app.root.sid,
    reply!.sid,
    (now) => settle(now, { at: 0 }),
  );
  await app.runJobs();

  const told = (await formsAt(app, "/events")).map(({ MessageStatus }) => MessageStatus);
  assert.deepEqual(told, ["sent", "delivered"]);
});

Deno.test("a Message in markup may be from a name", async () => {
  await using lab = await startTwilioLab();
  await answered(lab, () => xml(`<Message from="ACME">Yes</Message>`));
  const sent = await lab.client.messages.list({ from: "ACME" });
  assert.deepEqual(sent.map(({ body, to }) => [body, to]), [["Yes", theirs]]);
});

Deno.test("a plain text answers a text, as at Twilio", async () => {
  await using lab = await startTwilioLab();
  assert.deepEqual(await answered(lab, () => new Response(`${long}\n`)), [long]);
});

Deno.test("a plain text answers no text to a number of /2012-04-24", async () => {
  await using lab = await startTwilioLab();
  const form = { PhoneNumber: "+14155550103", SmsUrl: "https://app.test/sms" };
  await made(lab.app.root, "IncomingPhoneNumbers", form);
  lab.app.answers = () => new Response("OK");
  const text = { To: form.PhoneNumber, From: theirs, Body: "Hi" };
  await made(lab.app.root, "SMS/Messages", text);
  await lab.app.runJobs();

  assert.equal((await formsAt(lab.app, "/sms")).length, 1);
  assert.equal((await lab.client.messages.list({ from: form.PhoneNumber })).length, 0);
  const [notice] = await notifications(lab.app);
  assert.match(
    notice!,
    /a text\/plain response is a reply for numbers made at \/2010-04-01 alone; send/,
  );
});
