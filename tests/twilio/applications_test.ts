import assert from "node:assert/strict";
import { settle } from "../../core/messages/settle.ts";
import { smsMarkup } from "../../core/messages/sms_markup.ts";
import { companionOf, reportWholeCall, xml } from "../support/service/hand_companion.ts";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

Deno.test("npm twilio creates, fetches, updates, lists and removes an Application", async () => {
  await using lab = await startTwilioLab();
  const { applications } = lab.client;

  const made = await applications.create({
    friendlyName: "IVR",
    voiceUrl: "https://app.test/voice",
  });
  const fetched = await applications(made.sid).fetch();
  const updated = await applications(made.sid).update({ friendlyName: "Menu" });

  assert.equal(fetched.voiceUrl, "https://app.test/voice");
  assert.equal(fetched.dateCreated.getTime(), lab.app.clock.now);
  assert.equal(updated.friendlyName, "Menu");
  assert.deepEqual((await applications.list({ friendlyName: "Menu" })).map(({ sid }) => sid), [
    made.sid,
  ]);
  assert.equal(await applications(made.sid).remove(), true);
  await assert.rejects(applications(made.sid).fetch(), { status: 404, code: 20404 });
});

Deno.test("an Application has markup for calls and texts, with their methods and fallbacks", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { sid } = await client.applications.create({
    friendlyName: "IVR",
    voiceUrl: "https://app.test/voice",
    voiceMethod: "GET",
    voiceFallbackUrl: "https://app.test/voice-fallback",
    smsUrl: "https://app.test/sms",
    smsMethod: "GET",
  });
  app.answers = ({ url }) =>
    url.includes("fallback") ? xml("<Hangup/>") : new Response(null, { status: 500 });
  const from = "client:bob";
  const call = await client.calls.create({ from, to: "client:alice", applicationSid: sid });
  await app.runJobs();
  await companionOf(app, call.sid).report({ type: "answered" });

  const asked = app.fetched.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
  assert.deepEqual(asked, ["GET /voice", "POST /voice-fallback"]);
  const number = await client.incomingPhoneNumbers.create({
    phoneNumber: "+14155550101",
    smsApplicationSid: sid,
  });
  const held = await app.ports.records.incomingPhoneNumbers.get(app.root.sid, number.sid);
  assert.deepEqual(await smsMarkup(held!, app.ports), {
    first: { url: "https://app.test/sms", method: "GET" },
    fallback: null,
  });
  assert.equal((await app.root.get(`Applications/${sid}.json`)).json().sms_url, undefined);
});

Deno.test("an Application gets the end of its calls and the status of its texts", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const made = await client.applications.create({
    voiceUrl: "https://app.test/voice",
    statusCallback: "https://app.test/calls",
    statusCallbackMethod: "GET",
    smsStatusCallback: "https://app.test/former",
    messageStatusCallback: "https://app.test/texts",
  });
  assert.deepEqual(
    [made.statusCallback, made.statusCallbackMethod, made.smsStatusCallback],
    ["https://app.test/calls", "GET", "https://app.test/texts"],
  );
  app.answers = () => xml("<Hangup/>");
  const ends = { from: "client:bob", to: "client:alice" };
  const ofApplication = { ...ends, applicationSid: made.sid };
  const call = await client.calls.create(ofApplication);
  const own = { ...ofApplication, statusCallback: "https://app.test/own" };
  const other = await client.calls.create(own);
  for (const { sid } of [call, other]) await reportWholeCall(app, sid);
  for (const callback of [{}, { statusCallback: "https://app.test/own" }]) {
    const text = { from: "+14155550101", to: "+14155550102", body: "Hi" };
    const { sid } = await client.messages.create({
      ...text,
      ...callback,
      applicationSid: made.sid,
    });
    await app.ports.records.messages.update(app.root.sid, sid, (now) => settle(now, { at: 0 }));
  }
  await app.runJobs();

  const asked = app.fetched.map(({ method, url }) => `${method} ${new URL(url).pathname}`)
    .filter((one) => one !== "POST /voice");
  assert.deepEqual(asked.toSorted(), ["GET /calls", "POST /own", "POST /own", "POST /texts"]);
  const url = new URL(app.fetched.find(({ method }) => method === "GET")!.url);
  assert.equal(url.searchParams.get("CallStatus"), "completed");
  await client.applications(made.sid).update({ statusCallback: "", messageStatusCallback: "" });
  const cleared = await client.applications(made.sid).fetch();
  assert.deepEqual([cleared.statusCallback, cleared.messageStatusCallback], [null, null]);
  const unknown = { from: "+14155550101", to: "+14155550102", body: "Hi" };
  await assert.rejects(
    client.messages.create({ ...unknown, applicationSid: "AP" + "0".repeat(32) }),
    { status: 400, message: /ApplicationSid must name/ },
  );
});

Deno.test("an Application of Kind sms shows its RcmlUrl as SmsUrl", async () => {
  await using lab = await startTwilioLab();
  const form = { FriendlyName: "texts", Kind: "sms", RcmlUrl: "https://app.test/old" };
  const { sid } = (await lab.app.root.post("Applications.json", form)).json();
  const { applications } = lab.client;

  assert.equal((await applications(sid).fetch()).smsUrl, "https://app.test/old");
  await applications(sid).update({ smsUrl: "https://app.test/new" });
  assert.equal(
    (await lab.app.root.get(`Applications/${sid}.json`)).json().rcml_url,
    "https://app.test/new",
  );
  await assert.rejects(applications(sid).update({ voiceUrl: "https://app.test/voice" }), {
    status: 400,
    message: /Kind sms/,
  });
});
