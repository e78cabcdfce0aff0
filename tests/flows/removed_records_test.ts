import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import { receiveMessage } from "../../core/messages/receive_message.ts";
import { takePart } from "../../core/recordings/take_part.ts";
import { takeTrace } from "../../core/reports/take_trace.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  companion,
  companionOf,
  made,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

/** Writes after a removal: each writer is a report, a job, a part or a text that comes late. */

const number = "+12025550143";
const customer = "+12025550199";

const twilio = (app: App, path: string) => `/2010-04-01/Accounts/${app.root.sid}/${path}.json`;

async function removed(app: App, path: string): Promise<void> {
  assert.equal((await app.root.delete(twilio(app, path))).status, 204);
}

async function assertGone(app: App, path: string): Promise<void> {
  assert.equal((await app.root.get(twilio(app, path))).status, 404);
  const [collection = ""] = path.split("/");
  const list = (await app.root.get(twilio(app, collection))).json();
  assert.deepEqual(list[collection === "Calls" ? "calls" : collection.toLowerCase()], []);
}

/** The call of a Client, whose reports may come again. */
async function incomingCall(app: App) {
  app.answers = () => xml("<Pause/>");
  const client = await made(app.root, "Clients", {
    Login: "alice",
    Password: "pass",
    VoiceUrl: "https://app.test/voice",
  });
  const sid = app.ports.newSid("CA");
  const leg = companionOf(app, sid);
  const incoming: LegEvent = {
    type: "incoming",
    clientSid: client.sid,
    login: "alice",
    uri: `sip:${number}@sip.test`,
    sipCallId: "in",
    headers: {},
  };
  await leg.report(incoming);
  await app.settle();
  return { sid, leg, incoming };
}

Deno.test("a removed call stays removed, whatever its companion reports again", async () => {
  using app = await startApp();
  const { sid, leg, incoming } = await incomingCall(app);
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
  await removed(app, `Calls/${sid}`);

  const again = companionOf(app, sid);
  assert.deepEqual(await again.report(incoming), [{ type: "hangup" }]);
  assert.deepEqual(await again.report(incoming, { ageMs: 5_000 }), [{ type: "hangup" }]);
  await leg.repeat();
  for (const type of ["answered", "ringing"] as const) await leg.report({ type });
  await app.runJobs();
  await assertGone(app, `Calls/${sid}`);
});

Deno.test("a removed call has no trace, request for markup or Notification that comes late", async () => {
  using app = await startApp();
  const { sid, leg } = await incomingCall(app);
  const accountSid = app.root.sid;
  const before = (await app.root.get("Webhooks/Documents.json")).json().total;
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const { promise: isRemoved, resolve: go } = Promise.withResolvers<void>();
  const { fetch } = app.ports;
  app.ports.fetch = async (request, signer) => {
    asked();
    await isRemoved;
    return await fetch(request, signer);
  };
  app.answers = () => new Response("no", { status: 500 });
  const action = { url: "https://app.test/next", method: "POST", hops: 1 } as const;
  const late = leg.report({ type: "next", action });
  await isAsked;
  await leg.report({ type: "ended", outcome: "completed" });
  await removed(app, `Calls/${sid}`);
  go();
  await late;
  await app.settle();
  assert.equal((await app.root.get("Webhooks/Documents.json")).json().total, before);
  assert.deepEqual(await notifications(app), []);
  const trace = { dropped: 0, messages: [] };
  await takeTrace({ companion, accountSid, leg: sid, trace }, app.ports);
  assert.equal(await app.ports.sipTraces.get({ accountSid, sid }), null);
});

Deno.test("a call that an erasure removed stays removed", async () => {
  using app = await startApp();
  const { sid, leg, incoming } = await incomingCall(app);
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
  await made(app.root, "Erasures", { Subject: "client:alice" });
  await app.runJobs();
  await assertGone(app, `Calls/${sid}`);
  await companionOf(app, sid).report(incoming);
  await app.settle();
  await assertGone(app, `Calls/${sid}`);
});

Deno.test("a recording that came whole in one part and was removed does not come back with it", async () => {
  for (const end of ["whole", "discard"] as const) {
    using app = await startApp();
    const { sid: leg } = await incomingCall(app);
    const sid = app.ports.newSid("RE");
    const recording = { sid, accountSid: app.root.sid, serviceContext: {} };
    const data = new Uint8Array(16_000).toBase64();
    const part = { recording, leg, channels: 1 as const, at: 0, data };
    if (end === "discard") {
      await takePart(part, app.ports);
      await takePart({ ...part, at: 16_000, end }, app.ports);
    } else {
      await takePart({ ...part, end }, app.ports);
      await removed(app, `Recordings/${sid}`);
    }
    assert.equal(await takePart({ ...part, end: "whole" }, app.ports), false);
    assert.equal(await takePart(part, app.ports), false);
    await app.runJobs();
    await assertGone(app, `Recordings/${sid}`);
    assert.equal(await app.ports.blobs.size(app.root.sid, sid), null);
  }
});

Deno.test("a removed reply is not made and sent again by a second run of its markup", async () => {
  using app = await startApp();
  let isWell = false;
  app.answers = ({ url }) =>
    url.endsWith("/one")
      ? xml(`<Sms>thanks</Sms><Redirect>/two</Redirect>`)
      : isWell
      ? xml("")
      : new Response("", { status: 500 });
  await made(app.root, "Clients", { Login: "bob", Password: "pass" });
  await made(app.root, "IncomingPhoneNumbers", {
    PhoneNumber: number,
    SmsUrl: "https://app.test/one",
  });
  await made(app.root, "SMS/Messages", { From: customer, To: number, Body: "hello" });
  await app.runJobs();
  const all = (await app.root.get("SMS/Messages.json")).json().messages;
  const reply = all.find((one: Record<string, string>) => one.direction === "outbound-call");
  assert.equal(reply.body, "thanks");
  await removed(app, `Messages/${reply.sid}`);
  isWell = true;
  app.clock.now += 60_000;
  await app.runJobs();
  assert.equal((await app.root.get(twilio(app, `Messages/${reply.sid}`))).status, 404);
  const left = (await app.root.get("SMS/Messages.json")).json().messages;
  assert.equal(left.length, all.length - 1);
});

Deno.test("a removed text that the carrier sends again is not received again", async () => {
  using app = await startApp();
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: number });
  const text = {
    dialled: [number],
    gateway: null,
    from: customer,
    body: "hello",
    carrierId: "carrier 7",
  };
  assert.equal(await receiveMessage(text, app.ports), "taken");
  const [message] = (await app.root.get("SMS/Messages.json")).json().messages;
  await removed(app, `Messages/${message.sid}`);
  assert.equal(await receiveMessage(text, app.ports), "taken");
  await assertGone(app, `Messages/${message.sid}`);
  assert.equal(
    await receiveMessage({ ...text, carrierId: "carrier 8" }, app.ports),
    "taken",
  );
  assert.equal((await app.root.get("SMS/Messages.json")).json().messages.length, 1);
});

Deno.test("a removed caller ID does not come back by a repeat of its code", async () => {
  using app = await startApp();
  const outboundProxy = { proxy: "edge.carrier.test", credentials: null };
  Object.assign(app.ports.settings.trunks, { outboundProxy });
  await made(app.root, "OutgoingCallerIds", { PhoneNumber: "+12025550101" });
  const asked = (await app.root.post(twilio(app, "OutgoingCallerIds"), { PhoneNumber: customer }))
    .json();
  await app.runJobs();
  const leg = companionOf(app, asked.call_sid);
  const script = await leg.report({ type: "answered" });
  const gather = script.find((step) => step.type === "gather");
  assert.ok(gather?.type === "gather" && gather.action !== undefined);
  await leg.report({ type: "gathered", digits: asked.validation_code, action: gather.action });
  const path = `OutgoingCallerIds.json?PhoneNumber=${encodeURIComponent(customer)}`;
  const [callerId] = (await app.root.get(path)).json();
  assert.equal((await app.root.delete(`OutgoingCallerIds/${callerId.sid}.json`)).status, 204);
  await leg.repeat();
  assert.deepEqual((await app.root.get(path)).json(), []);
});

Deno.test("a transcription that is removed while it is made stays removed, and is not tried again", async () => {
  let runs = 0;
  let remove: () => Promise<unknown> = () => Promise.resolve();
  using app = await startApp({
    ports: {
      transcriber: {
        async transcribe() {
          runs++;
          await remove();
          return "words";
        },
      },
    },
  });
  const { sid: leg } = await incomingCall(app);
  const recording = app.ports.newSid("RE");
  const data = new Uint8Array(16_000).toBase64();
  await takePart({
    recording: { sid: recording, accountSid: app.root.sid, serviceContext: {} },
    leg,
    channels: 1,
    at: 0,
    data,
    end: "whole",
  }, app.ports);
  const { sid } = (await app.root.post(`Recordings/${recording}/Transcriptions.json`)).json();
  remove = () => removed(app, `Transcriptions/${sid}`);
  for (let run = 0; run < 3; run++) {
    await app.runJobs();
    app.clock.now += 1_000_000;
  }
  assert.equal(runs, 1);
  await assertGone(app, `Transcriptions/${sid}`);
});
