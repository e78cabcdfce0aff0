import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, companionOf, made, xml } from "../support/service/hand_companion.ts";

const number = "+14155550150";
const events = "https://app.test/events";
const childSid = "CA" + "c".repeat(32);
const inboundSid = "CA" + "e".repeat(32);

const alice = (app: App) => made(app.root, "Clients", { Login: "alice", Password: "secret" });

/** A call to alice that a companion has placed. */
async function placed(app: App) {
  await alice(app);
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "sip-1" });
  return { sid, leg };
}

/** An incoming call to a number, whose document is requested. */
async function arrived(app: App, form: Record<string, string>) {
  const { sid: numberSid } = await made(app.root, "IncomingPhoneNumbers", {
    PhoneNumber: number,
    VoiceUrl: "https://app.test/number",
    ...form,
  });
  const leg = companionOf(app, inboundSid);
  const script = await leg.report({
    type: "incomingNumber",
    numberSid,
    dialled: number,
    from: { user: "+14155550199", host: "carrier.test" },
    hops: 0,
    sipCallId: "in-1",
    headers: {},
  });
  return { leg, script };
}

const child = (app: App) => companionOf(app, childSid);
const inviting = {
  type: "inviting",
  from: "+14155550199",
  to: "client:alice",
  sipCallId: "out-1",
  parent: inboundSid,
} as const;

const modify = async (app: App, sid: string, Status: string) => {
  const answer = await app.root.post(`Calls/${sid}.json`, { Status });
  assert.equal(answer.status, 200, answer.text);
  await app.runJobs();
};
const hungUp = (app: App) =>
  app.scripts.filter(({ script }) => script[0]?.type === "hangup").map(({ leg }) => leg);

Deno.test("Status=canceled leaves the ringing leg of a Dial alone, Status=completed ends it", async () => {
  using app = await startApp();
  await arrived(app, {});
  await child(app).report(inviting);

  await modify(app, childSid, "canceled");
  assert.deepEqual(hungUp(app), []);
  await modify(app, childSid, "completed");
  assert.deepEqual(hungUp(app), [childSid]);
});

for (const Status of ["canceled", "completed"]) {
  Deno.test(`Status=${Status} ends a ringing call that dials: it goes by its own Status`, async () => {
    using app = await startApp();
    const { leg } = await arrived(app, {});
    await child(app).report(inviting);
    assert.equal((await callOf(app, inboundSid)).status, "ringing");

    await modify(app, inboundSid, Status);
    assert.deepEqual(hungUp(app), [inboundSid]);
    await leg.report({ type: "ended", outcome: "canceled" });
    assert.equal((await callOf(app, inboundSid)).status, "canceled");
  });
}

Deno.test("Status=completed ends a queued or ringing call outside a Dial; its Status is canceled", async () => {
  using app = await startApp();
  await alice(app);
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid: queued } = await made(app.root, "Calls", form);
  await app.root.post(`Calls/${queued}.json`, { Status: "completed" });
  assert.equal((await callOf(app, queued)).status, "canceled");

  using other = await startApp();
  const { sid, leg } = await placed(other);
  await leg.report({ type: "ringing" });
  await modify(other, sid, "completed");
  assert.deepEqual(hungUp(other), [sid]);
  await leg.report({ type: "ended", outcome: "canceled" });
  assert.equal((await callOf(other, sid)).status, "canceled");
});

Deno.test("a document without a verb that answers answers an inbound call, pauses and hangs up", async () => {
  for (
    const [document, steps] of [
      ["", ["answer", "hangup"]],
      ['<Pause length="2"/><Pause/>', ["answer", "silence", "silence", "hangup"]],
      ["<Unknown/>", ["answer", "hangup"]],
      ["<Reject/>", ["reject"]],
      ["<Pause/><Reject/>", ["silence", "reject"]],
      ["<Pause/><Say>Hi</Say>", ["silence", "answer", "say", "hangup"]],
    ] as const
  ) {
    using app = await startApp();
    app.answers = () => xml(document);
    const { script } = await arrived(app, {});
    assert.deepEqual(script.map(({ type }) => type), steps, document);
  }
});

Deno.test("status callbacks of numbers have the leg that the call's Dial placed", async () => {
  using app = await startApp();
  await alice(app);
  app.answers = ({ url }) =>
    url === events ? new Response() : xml('<Dial action="/done"><Client>alice</Client></Dial>');
  const { leg, script } = await arrived(app, { StatusCallback: events });
  await child(app).report(inviting);
  await leg.report({ type: "answered" });
  const dial = script.find(({ type }) => type === "dial");
  assert.ok(dial?.type === "dial" && dial.action);
  await leg.report({
    type: "dialled",
    outcome: "busy",
    leg: childSid,
    durationS: 0,
    ringS: 1,
    sipStatus: 486,
    sipCallId: "out-1",
    headers: { "X-Conference": "7" },
    action: dial.action,
  });
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();

  const told = await Promise.all(
    app.fetched.filter(({ url }) => url === events).map(async (one) =>
      Object.fromEntries(new URLSearchParams(await one.text()))
    ),
  );
  const at = (n: number) => told.find(({ SequenceNumber }) => SequenceNumber === String(n))!;
  assert.equal(at(0).OutboundCallSid, undefined);
  assert.deepEqual(
    [at(1).CallStatus, at(1).OutboundCallSid, at(1).DialSipCallId],
    ["in-progress", childSid, "out-1"],
  );
  const { OutboundCallSid, DialSipCallId, DialSipResponseCode } = at(2);
  assert.deepEqual([OutboundCallSid, DialSipCallId, DialSipResponseCode], [
    childSid,
    "out-1",
    "486",
  ]);
  assert.equal(at(2)["DialSipHeader_X-Conference"], "7");
});

Deno.test("status callbacks of numbers have the transfer of the call", async () => {
  using app = await startApp();
  await alice(app);
  await made(app.root, "Clients", { Login: "carol", Password: "secret" });
  app.answers = ({ url }) =>
    url === events ? new Response() : xml("<Dial><Client>alice</Client></Dial>");
  const { leg } = await arrived(app, { StatusCallback: events });
  const callee = child(app);
  await callee.report(inviting);
  await leg.report({ type: "answered" });
  await callee.report({ type: "answered" });
  const [dial] = await callee.report({
    type: "refer",
    other: inboundSid,
    to: "sip:carol@sip.test",
    by: "sip:alice@sip.test",
    headers: {},
  });
  assert.equal(dial?.type, "dial");
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();

  const last = app.fetched.findLast(({ url }) => url === events)!;
  const form = new URLSearchParams(await last.text());
  assert.deepEqual(
    ["CallStatus", "ReferTarget", "Transferor", "Transferee"].map((name) => form.get(name)),
    ["completed", "sip:carol@sip.test", "client:alice", "+14155550199"],
  );
});
