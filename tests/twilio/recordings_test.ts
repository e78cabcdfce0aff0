import assert from "node:assert/strict";
import type { RecordingPart } from "../../core/protocol/recordings.ts";
import { takePart } from "../../core/recordings/take_part.ts";
import { companionOf } from "../support/service/hand_companion.ts";
import { startTwilioLab, type TwilioLab } from "../support/service/twilio_lab.ts";

const twiml = "<Response><Pause length='600'/></Response>";
const recordingStatusCallback = "https://app.test/recorded";

/** A call in progress. */
async function answeredCall({ app, client }: TwilioLab, more: Record<string, unknown> = {}) {
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const made = await client.calls.create({
    from: "client:bob",
    to: "client:alice",
    twiml,
    ...more,
  });
  await app.runJobs();
  const leg = companionOf(app, made.sid);
  await leg.report({ type: "answered" });
  return { sid: made.sid, leg };
}

/** The audio of a recording that the companion was ordered to make, and its end. */
async function send({ app }: TwilioLab, leg: string, part: Partial<RecordingPart>) {
  const order = app.recordingOrders.find(({ order }) => order.type === "start")?.order;
  assert.ok(order?.type === "start");
  const data = new Uint8Array(16_000).toBase64();
  const sent = { recording: order.recording, leg, channels: 1, at: 0, data, ...part };
  return await takePart(sent, app.ports);
}

/** Callbacks, in order. */
async function told({ app }: TwilioLab): Promise<Record<string, string>[]> {
  await app.runJobs();
  const sent = app.fetched.filter(({ url }) => url === recordingStatusCallback);
  return await Promise.all(
    sent.map(async (one) => Object.fromEntries(new URLSearchParams(await one.clone().text()))),
  );
}

Deno.test("npm twilio starts, pauses, resumes, stops and removes a Recording of a call", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await answeredCall(lab);
  const { recordings } = client.calls(sid);

  const made = await recordings.create({
    recordingChannels: "dual",
    recordingStatusCallback,
    recordingStatusCallbackEvent: ["in-progress", "completed"],
  });
  assert.deepEqual(
    [made.callSid, made.status, made.channels, made.source, made.track, made.duration],
    [sid, "in-progress", 2, "StartCallRecordingAPI", "both", null],
  );
  await send(lab, sid, { channels: 2 });
  const one = client.calls(sid).recordings(made.sid);
  const paused = await one.update({ status: "paused", pauseBehavior: "skip" });
  assert.equal(paused.status, "paused");
  assert.equal((await one.fetch()).status, "paused");
  const current = client.calls(sid).recordings("Twilio.CURRENT");
  assert.equal((await current.update({ status: "in-progress" })).status, "in-progress");
  assert.equal((await current.update({ status: "paused" })).sid, made.sid);
  assert.equal((await one.update({ status: "stopped" })).status, "stopped");
  await assert.rejects(one.update({ status: "paused" }), { status: 400, code: 13264 });
  await send(lab, sid, { channels: 2, at: 16_000, end: "whole" });

  const orders = app.recordingOrders.map(({ leg, order }) => [leg, order]);
  assert.deepEqual(orders.slice(1), [
    [sid, { type: "pause", sid: made.sid, behavior: "skip" }],
    [sid, { type: "resume", sid: made.sid }],
    [sid, { type: "pause", sid: made.sid, behavior: "silence" }],
    [sid, { type: "stop", sid: made.sid }],
  ]);
  const [ordered] = app.recordingOrders;
  assert.ok(ordered?.order.type === "start");
  assert.deepEqual(ordered.order.recordingManner, { track: "both", isMono: false, trim: false });
  const ended = await client.recordings(made.sid).fetch();
  assert.deepEqual([ended.status, ended.duration], ["completed", "1"]);
  const events = await told(lab);
  assert.deepEqual(
    events.map(({ RecordingStatus, RecordingSid, RecordingSource, RecordingTrack }) => [
      RecordingStatus,
      RecordingSid,
      RecordingSource,
      RecordingTrack,
    ]),
    ["in-progress", "completed"].map((
      status,
    ) => [status, made.sid, "StartCallRecordingAPI", "both"]),
  );
  await assert.rejects(current.fetch(), { status: 404 });
  assert.equal((await recordings.list()).length, 1);
  assert.equal(await one.remove(), true);
  await assert.rejects(one.fetch(), { status: 404 });
});

Deno.test("a Recording that is removed before its first audio stays removed, without further callbacks", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await answeredCall(lab);
  const made = await client.calls(sid).recordings.create({
    recordingStatusCallback,
    recordingStatusCallbackEvent: ["in-progress", "completed", "absent"],
  });
  assert.equal(await client.recordings(made.sid).remove(), true);

  assert.equal(await send(lab, sid, {}), false);
  assert.equal(await send(lab, sid, { at: 16_000, end: "whole" }), false);

  await assert.rejects(client.recordings(made.sid).fetch(), { status: 404 });
  assert.deepEqual((await told(lab)).map(({ RecordingStatus }) => RecordingStatus), [
    "in-progress",
  ]);
  assert.equal(await app.ports.blobs.size(app.root.sid, made.sid), null);
});

Deno.test("a Recording that the companion refuses leaves no record and no callback", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await answeredCall(lab);
  const { recording } = app.ports.control;
  const wanted = { recordingStatusCallback, recordingStatusCallbackEvent: ["in-progress"] };
  for (const answer of [() => Promise.resolve(false), () => Promise.reject(new Error("away"))]) {
    app.ports.control.recording = answer;
    await assert.rejects(client.calls(sid).recordings.create(wanted));
  }
  app.ports.control.recording = recording;
  assert.deepEqual(await client.calls(sid).recordings.list(), []);
  assert.deepEqual(await told(lab), []);
});

Deno.test("a Recording in which nothing came is absent, and its callback says so", async () => {
  await using lab = await startTwilioLab();
  const { client } = lab;
  const { sid } = await answeredCall(lab);
  const made = await client.calls(sid).recordings.create({
    recordingStatusCallback,
    recordingStatusCallbackEvent: ["absent"],
    trim: "trim-silence",
  });

  assert.equal(await send(lab, sid, { data: "", end: "whole" }), true);

  assert.deepEqual((await told(lab)).map(({ RecordingStatus }) => RecordingStatus), ["absent"]);
  const recording = await client.recordings(made.sid).fetch();
  assert.deepEqual([recording.status, recording.duration], ["absent", "0"]);
});

Deno.test("a call that is not in progress, or has no audio here, is not recorded", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const queued = await client.calls.create({ from: "client:bob", to: "client:alice", twiml });
  await assert.rejects(client.calls(queued.sid).recordings.create(), { status: 400, code: 21221 });
  await app.runJobs();
  const leg = companionOf(app, queued.sid);
  await leg.report({ type: "answered" });
  app.hasMedia = false;
  await assert.rejects(client.calls(queued.sid).recordings.create(), { status: 400, code: 21221 });
  assert.deepEqual(await client.recordings.list(), []);
  app.hasMedia = true;
  for (let i = 0; i < 4; i++) await client.calls(queued.sid).recordings.create();
  await assert.rejects(client.calls(queued.sid).recordings.create(), { status: 400, code: 13265 });
  await assert.rejects(client.calls(queued.sid).recordings("Twilio.CURRENT").fetch(), {
    status: 400,
    message: /Twilio\.CURRENT needs a single recording/,
  });
  await leg.report({ type: "ended", outcome: "completed" });
  await assert.rejects(client.calls(queued.sid).recordings.create(), { status: 400, code: 21220 });
});

Deno.test("Record of a call orders one recording from its answer, the same in each attempt", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await answeredCall(lab, {
    record: true,
    recordingChannels: "dual",
    recordingTrack: "inbound",
    recordingStatusCallback,
    recordingStatusCallbackMethod: "GET",
    recordingStatusCallbackEvent: ["in-progress", "absent"],
  });

  const [invite] = app.scripts.find(({ leg }) => leg === sid)!.script;
  assert.ok(invite?.type === "invite");
  assert.deepEqual(invite.recordingManner, { track: "inbound", isMono: false, trim: true });
  assert.deepEqual(invite.record?.serviceContext, {
    source: "OutboundAPI",
    track: "inbound",
    statusCallback: {
      url: recordingStatusCallback,
      method: "GET",
      events: ["in-progress", "absent"],
    },
  });
  const data = new Uint8Array(16_000).toBase64();
  await takePart({ recording: invite.record!, leg: sid, channels: 1, at: 0, data }, app.ports);
  const [recording] = await client.calls(sid).recordings.list();
  assert.deepEqual([recording?.sid, recording?.source], [invite.record!.sid, "OutboundAPI"]);
  const other = await answeredCall(lab, { record: false, recordingChannels: "dual" });
  const [plain] = app.scripts.find(({ leg }) => leg === other.sid)!.script;
  assert.ok(plain?.type === "invite" && plain.record === undefined);
});

Deno.test("npm twilio lists, stops and removes the Recordings of a Conference", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const made = await answeredCall(lab);
  const { leg, sid } = made;
  const [consult] = await leg.report({
    type: "next",
    action: { url: "https://app.test/room", method: "POST", hops: 0 },
  });
  assert.equal(consult?.type, "hangup"); // Nothing is there yet.
  app.answers = () =>
    new Response(
      `<Response><Dial><Conference record="true" recordingStatusCallback="/recorded">Room</Conference></Dial></Response>`,
      { headers: { "content-type": "text/xml" } },
    );
  const [again] = await leg.report({
    type: "next",
    action: { url: "https://app.test/room", method: "POST", hops: 0 },
  });
  assert.ok(again?.type === "consult");
  const [step] = await leg.report({ type: "consulting", serviceContext: again.serviceContext });
  assert.ok(step?.type === "conference" && step.record !== undefined);
  const data = new Uint8Array(16_000).toBase64();
  await takePart({ recording: step.record, leg: sid, channels: 1, at: 0, data }, app.ports);

  const { recordings } = client.conferences(step.conferenceSid);
  const [one] = await recordings.list();
  assert.deepEqual(
    [one?.sid, one?.conferenceSid, one?.callSid, one?.source],
    [step.record.sid, step.conferenceSid, sid, "Conference"],
  );
  const of = client.conferences(step.conferenceSid).recordings(step.record.sid);
  assert.equal((await of.update({ status: "paused" })).status, "paused");
  const current = client.conferences(step.conferenceSid).recordings("Twilio.CURRENT");
  assert.equal((await current.update({ status: "stopped" })).status, "stopped");
  const found = await client.recordings.list({ conferenceSid: step.conferenceSid });
  assert.deepEqual(found.map((recording) => recording.sid), [step.record.sid]);
  assert.equal(await of.remove(), true);
  assert.deepEqual(await recordings.list(), []);
});

Deno.test("no account reaches the recordings of another's call", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await answeredCall(lab);
  const made = await client.calls(sid).recordings.create();
  const other = await app.subAccount(app.root, "other");
  const theirs = lab.clientOf(other.sid, other.token);

  await assert.rejects(theirs.calls(sid).recordings.create(), { status: 404 });
  await assert.rejects(theirs.calls(sid).recordings(made.sid).update({ status: "stopped" }), {
    status: 404,
  });
  await assert.rejects(theirs.recordings(made.sid).remove(), { status: 404 });
  assert.equal(app.recordingOrders.length, 1);
});

const lasting = ({ app }: TwilioLab, sid: string) =>
  `http://api.test/2010-04-01/Accounts/${app.root.sid}/Recordings/${sid}`;

Deno.test("callbacks of a call of Twilio's interface have permanent addresses, which need authentication", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await answeredCall(lab);
  const made = await client.calls(sid).recordings.create({
    recordingStatusCallback,
    recordingStatusCallbackEvent: ["in-progress", "completed"],
  });
  await send(lab, sid, { end: "whole" });

  const address = lasting(lab, made.sid);
  const urls = (await told(lab)).map(({ RecordingUrl }) => RecordingUrl);
  assert.deepEqual(urls, [address, address]);
  const [record] = await client.recordings.list();
  assert.equal(record!.apiVersion, "2010-04-01");
  assert.equal(record!.mediaUrl, address);
  const credentials = btoa(`${app.root.sid}:${app.root.token}`);
  const read = (url: string, Authorization = `Basic ${credentials}`) =>
    app.http.fetch(new Request(url, { headers: { Authorization } }));
  for (const days of [0, 400]) {
    app.clock.now += days * 86_400_000;
    for (const end of ["", ".wav", ".mp3", ".MP3", "/"]) {
      const owner = await read(address + end);
      assert.equal(owner.status, 200, end);
      assert.match(owner.headers.get("Content-Type")!, /^audio\//, end);
      assert.equal((await read(address + end, "none")).status, 401, end);
    }
  }
  const other = await app.subAccount(app.root, "other");
  assert.equal((await other.get(new URL(address).pathname)).status, 403);
});

Deno.test("the action of a Record of Twilio's interface gets the permanent address", async () => {
  await using lab = await startTwilioLab();
  const { app } = lab;
  const { leg, sid } = await answeredCall(lab, {
    twiml: "<Response><Record action='https://app.test/done'/></Response>",
  });
  const recording = `RE${"1".repeat(32)}`;
  app.answers = () => new Response("<Response/>", { headers: { "content-type": "text/xml" } });
  const action = { url: "https://app.test/done", method: "POST", hops: 0 } as const;

  const recorded = { accountSid: app.root.sid, sid: recording, durationS: 2 };
  await leg.report({ type: "recorded", action, recording: recorded } as never, {
    wantsScript: true,
  });

  const [asked] = app.fetched.filter(({ url }) => url.endsWith("/done"));
  const form = new URLSearchParams(await asked!.text());
  assert.equal(form.get("CallSid"), sid);
  assert.equal(form.get("RecordingUrl"), lasting(lab, recording));
});

Deno.test("Play and Email of the account's own recordings need no credentials", async () => {
  await using lab = await startTwilioLab();
  const { app } = lab;
  const { leg } = await answeredCall(lab);
  const own = lasting(lab, `RE${"1".repeat(32)}`);
  const foreign = own.replace(app.root.sid, `AC${"0".repeat(32)}`);
  const signed = `${own}.wav?Expires=1&amp;Signature=x`;
  const document = `<Response>
    <Play>${own}</Play>
    <Gather><Play>${own}.mp3</Play></Gather>
    <Email from="a@app.test" to="b@app.test">Listen: ${own} (${own}.mp3).</Email>
    <Play>${foreign}</Play>
    <Play>${own}/Transcriptions</Play>
    <Play>${signed}</Play>
  </Response>`;
  app.answers = () => new Response(document, { headers: { "content-type": "text/xml" } });
  const action = { url: "https://app.test/next", method: "POST", hops: 0 } as const;

  const script = await leg.report({ type: "next", action } as never) as never[];

  const text = JSON.stringify(script);
  const link =
    /http:\/\/api\.test\/2012-04-24\/Accounts\/\w+\/Recordings\/\w+\.wav\?Expires=\d{9,}&Signature=[\w-]+/g;
  const [first, ...others] = text.match(link)!;
  assert.equal(others.length, 3); // In Gather, and twice in the e-mail.
  assert.ok(others.every((one) => one === first));
  const { pathname, search } = new URL(first!);
  assert.notEqual((await app.root.get(pathname + search, { Authorization: "none" })).status, 401);
  for (const kept of [foreign, `${own}/Transcriptions`, signed.replace("&amp;", "&")]) {
    assert.ok(text.includes(`"${kept}"`), kept);
  }
});
