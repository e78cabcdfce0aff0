import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import { messageTaker } from "../../core/messages/take_message.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  callOf,
  companionOf,
  made,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";
import { takeTrunkMessage } from "../../routes/protocol/trunk_message.ts";

const ours = "+14155550101";
const far = "+442079460000";

/** A service with a trunk, a number and the Client alice. */
async function startLab(): Promise<{ app: App; numberSid: string; clientSid: string }> {
  const app = await startApp();
  const { trunks } = app.ports.settings;
  Object.assign(trunks, { outboundProxy: { proxy: "edge.test" }, prefixes: ["+44"] });
  app.answers = () => xml("<Pause/>");
  const form = { PhoneNumber: ours, VoiceUrl: "https://app.test/v", SmsUrl: "https://app.test/s" };
  const { sid: numberSid } = await made(app.root, "IncomingPhoneNumbers", form);
  const { sid: clientSid } = await made(app.root, "Clients", { Login: "alice", Password: "pw-pw" });
  return { app, numberSid, clientSid };
}

const formOf = async ({ fetched }: App, url: string) =>
  new URLSearchParams(await fetched.findLast((one) => one.url === url)!.clone().text());

const dialsAs = (app: App, clientSid: string) => async (uri: string, event = {}) => {
  const leg = app.ports.newSid("CA");
  const incoming = {
    type: "incoming",
    login: "alice",
    clientSid,
    uri,
    sipCallId: "s",
    headers: {},
  };
  const script = await companionOf(app, leg).report({ ...incoming, ...event } as LegEvent);
  return { script, call: await callOf(app, leg) };
};

Deno.test("a Client reaches numbers by tel: and with parameters, here and elsewhere", async () => {
  const { app, clientSid } = await startLab();
  using _ = app;
  const dials = dialsAs(app, clientSid);

  for (
    const uri of [
      `sip:${ours};npdi;rn=+14045550000@sip.test;user=phone`,
      `tel:${ours}`,
      "tel:+1-415-555-0101;npdi",
      "tel:4155550101;phone-context=+1",
      `sip:${ours}%3Bnpdi@sip.test`,
    ]
  ) {
    const { script, call } = await dials(uri);
    assert.deepEqual(script.map(({ type }) => type), ["answer", "silence", "hangup"], uri);
    assert.deepEqual([call.to, call.direction], [ours, "inbound"], uri);
  }
  for (const uri of [`sip:${far};isub=5@sip.test`, `tel:${far};ext=7`]) {
    const { script: [step] } = await dials(uri);
    assert.equal(step?.type, "dial", uri);
    if (step?.type !== "dial") return;
    const { to, target } = step.legs[0]!;
    assert.deepEqual([to, target.kind === "trunk" && target.dialled], [far, far], uri);
  }
  const { script: [refusal] } = await dials("tel:+15005550006;npdi");
  assert.equal(refusal?.type === "reject" && refusal.status, 404);
  assert.match((await notifications(app))[0] ?? "", /\+15005550006$/); // No prefix allows it.
});

Deno.test("an application gets StirVerstat, and the parameters of the numbers of a call", async () => {
  const { app, numberSid } = await startLab();
  using _ = app;
  const leg = app.ports.newSid("CA");

  await companionOf(app, leg).report({
    type: "incomingNumber",
    numberSid,
    dialled: ours,
    from: { user: "+442079461234", host: "carrier.test" },
    hops: 0,
    sipCallId: "s",
    headers: {},
    verstat: "TN-Validation-Passed-A",
    userParameters: { "Request-URI": "npdi;rn=+1404", From: "cpc=payphone", Secret: "no" },
  });

  const form = await formOf(app, "https://app.test/v");
  assert.deepEqual([form.get("From"), form.get("To")], ["+442079461234", ours]);
  assert.equal(form.get("StirVerstat"), "TN-Validation-Passed-A");
  assert.equal(form.get("SipHeader_Request-URI"), "npdi;rn=+1404");
  assert.equal(form.get("SipHeader_From"), "cpc=payphone");
  assert.equal(form.has("SipHeader_Secret"), false);
});

Deno.test("texts of trunks and Clients have numbers without parameters, which are sent beside them", async () => {
  const { app, clientSid } = await startLab();
  using _ = app;
  const message = {
    dialled: [ours],
    gateway: null,
    from: { user: far, host: "carrier.test" },
    id: "1",
    body: "hi",
    headers: {},
    verstat: "TN-Validation-Failed",
    userParameters: { From: "cpc=payphone" },
  };
  assert.deepEqual(await takeTrunkMessage(message, app.ports), { status: 202 });
  await app.runJobs();
  const form = await formOf(app, "https://app.test/s");
  assert.deepEqual(
    ["From", "StirVerstat", "SipHeader_From"].map((name) => form.get(name)),
    [far, "TN-Validation-Failed", "cpc=payphone"],
  );

  const report = { accountSid: app.root.sid, clientSid, login: "alice", body: "hello" };
  const { status } = await messageTaker(app.ports)({ ...report, uri: `tel:${ours};npdi` });
  assert.equal(status, 202);
  const { messages } = (await app.root.get("SMS/Messages.json?From=client:alice")).json();
  assert.deepEqual(messages.map(({ to }: { to: string }) => to), [ours]);
});

Deno.test("a transfer reaches a number with parameters, and ReferTarget is without", async () => {
  const { app, numberSid, clientSid } = await startLab();
  using _ = app;
  await made(app.root, `IncomingPhoneNumbers/${numberSid}`, { ReferUrl: "https://app.test/refer" });
  const { call } = await dialsAs(app, clientSid)(`sip:${ours}@sip.test`);
  const { call: other } = await dialsAs(app, clientSid)(`sip:${ours}@sip.test`);
  const to = `sip:${far};isub=5@sip.test`;

  await companionOf(app, call.sid).report({ type: "answered" }, { seq: 5, wantsScript: false });
  await companionOf(app, call.sid).report(
    { type: "refer", to, other: other.sid, by: "client:alice", headers: {} },
    { seq: 6 },
  );

  const form = await formOf(app, "https://app.test/refer");
  assert.equal(form.get("ReferTarget"), `sip:${far}@sip.test`);
  assert.equal(form.get("SipHeader_Refer-To"), "isub=5");
  await made(app.root, `IncomingPhoneNumbers/${numberSid}`, { ReferUrl: "" });
  const [step] = await companionOf(app, call.sid).report(
    { type: "refer", to, other: other.sid, by: "client:alice", headers: {} },
    { seq: 7 },
  );
  assert.equal(step?.type === "dial" && step.legs[0]?.to, far);
});
