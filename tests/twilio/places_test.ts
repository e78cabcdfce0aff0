import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, xml } from "../support/service/hand_companion.ts";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

const ours = "+14155550101";
const caller = "+442079460123";

const formOf = async ({ fetched }: App, path: string) => {
  const request = fetched.findLast(({ url }) => new URL(url).pathname === path);
  return Object.fromEntries(new URLSearchParams(await request!.clone().text()));
};

/** The parameters that say where parties are from, and their values. */
const placesIn = (form: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(form).filter(([name]) => /^(?:From|To|Caller|Called)[A-Z]/.test(name)),
  );

const placed = (party: string, state: string, country: string) => ({
  [`${party}City`]: "",
  [`${party}State`]: state,
  [`${party}Zip`]: "",
  [`${party}Country`]: country,
});

const ofCall = {
  ...placed("From", "", "GB"),
  ...placed("To", "CA", "US"),
  ...placed("Caller", "", "GB"),
  ...placed("Called", "CA", "US"),
};

/** A call of a trunk to the number, which dials a Client, to its end. */
async function callOf(app: App, numberSid: string): Promise<void> {
  app.answers = ({ url }) =>
    url.endsWith("/voice") ? xml('<Dial action="/dialled"><Client>alice</Client></Dial>') : xml("");
  const leg = companionOf(app, app.ports.newSid("CA"));
  const script = await leg.report({
    type: "incomingNumber",
    numberSid,
    dialled: ours,
    from: { user: caller, host: "carrier.test" },
    hops: 0,
    sipCallId: "s",
    headers: {},
  });
  assert.ok(script.some(({ type }) => type === "dial"));
  await leg.report({
    type: "dialled",
    leg: app.ports.newSid("CA"),
    outcome: "no-answer",
    durationS: 0,
    ringS: 1,
    action: { url: "https://app.test/dialled", method: "POST", hops: 1 },
  });
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
}

Deno.test("requests about calls of /2010-04-01 have the places of the parties", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await made(app.root, "Clients", { Login: "alice", Password: "pw-pw" });
  const { sid } = await client.incomingPhoneNumbers.create({
    phoneNumber: ours,
    voiceUrl: "https://app.test/voice",
    statusCallback: "https://app.test/events",
  });
  await callOf(app, sid);

  for (const path of ["/voice", "/dialled", "/events"]) {
    assert.deepEqual(placesIn(await formOf(app, path)), ofCall, path);
  }
  assert.equal((await formOf(app, "/dialled")).DialCallStatus, "no-answer");
});

Deno.test("requests about calls of /2012-04-24 have the places of From and To", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "pw-pw" });
  const { sid } = await made(app.root, "IncomingPhoneNumbers", {
    PhoneNumber: ours,
    VoiceUrl: "https://app.test/voice",
    StatusCallback: "https://app.test/events",
  });
  await callOf(app, sid);
  for (const path of ["/voice", "/dialled", "/events"]) {
    assert.deepEqual(
      placesIn(await formOf(app, path)),
      { FromCountry: "GB", ToCountry: "US", ToState: "CA" },
      path,
    );
  }
});

Deno.test("a call of a Client by /2012-04-24 has no places of the Client", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "pw-pw" });
  const url = "https://app.test/voice";
  const { sid } = (await app.root.post("Calls.json", { To: "client:alice", From: ours, Url: url }))
    .json();
  app.answers = () => xml("<Pause/>");
  await app.runJobs();
  await companionOf(app, sid).report({ type: "answered" });
  assert.deepEqual(placesIn(await formOf(app, "/voice")), { FromCountry: "US", FromState: "CA" });
});

Deno.test("requests about texts of /2012-04-24 have the places of From and To", async () => {
  using app = await startApp();
  await made(app.root, "IncomingPhoneNumbers", {
    PhoneNumber: ours,
    SmsUrl: "https://app.test/sms",
  });
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: caller });
  app.answers = () => xml("");
  await made(app.root, "SMS/Messages", { From: caller, To: ours, Body: "hi" });
  await app.runJobs();
  assert.deepEqual(placesIn(await formOf(app, "/sms")), {
    FromCountry: "GB",
    ToCountry: "US",
    ToState: "CA",
  });
});

Deno.test("requests about texts of /2010-04-01 have them of From and To, their callbacks do not", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const smsUrl = "https://app.test/sms";
  await client.incomingPhoneNumbers.create({ phoneNumber: ours, smsUrl });
  await client.incomingPhoneNumbers.create({ phoneNumber: "+14165550123" });
  app.answers = () => xml("");
  const statusCallback = "https://app.test/sent";
  const sent = { from: "+14165550123", to: ours, body: "hi", statusCallback };
  const { sid } = await client.messages.create(sent);
  await app.runJobs();

  const asked = placesIn(await formOf(app, "/sms"));
  assert.deepEqual(asked, { ...placed("From", "ON", "CA"), ...placed("To", "CA", "US") });
  const { status } = await client.messages(sid).fetch();
  assert.equal(["sent", "delivered"].includes(status), true, status);
  assert.deepEqual(placesIn(await formOf(app, "/sent")), {});
});
