import assert from "node:assert/strict";
import { companionOf } from "../support/service/hand_companion.ts";
import { makeParticipant, makeSample } from "../support/service/samples.ts";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

/** A conference with two calls in it. */
async function conference(lab: Awaited<ReturnType<typeof startTwilioLab>>) {
  const { app } = lab;
  const sid = await makeSample(app, app.root, { name: "conferences" });
  const legs: string[] = [];
  for (const to of ["client:alice", "client:bob"]) {
    const url = "https://app.test/voice";
    const { sid: leg } = await lab.client.calls.create({ from: "client:carol", to, url });
    await makeParticipant(app, sid, leg);
    legs.push(leg);
  }
  return { sid, legs };
}

Deno.test("npm twilio lists a Conference, changes its Participants and ends it", async () => {
  await using lab = await startTwilioLab();
  const { client, app } = lab;
  const { sid, legs: [alice, bob] } = await conference(lab);
  await app.ports.records.conferences.update(app.root.sid, sid, (record) => ({
    record: { ...record, companion: { id: "companion", runId: "run" } },
  }));

  const one = await client.conferences(sid).fetch();
  assert.equal(one.status, "in-progress");
  const found = await client.conferences.list({
    friendlyName: one.friendlyName,
    status: "in-progress",
  });
  assert.deepEqual(found.map(({ sid }) => sid), [sid]);
  const participants = client.conferences(sid).participants;
  const members = await participants.list({ pageSize: 1 });
  assert.deepEqual(members.map(({ callSid }) => callSid).sort(), [alice, bob].sort());

  const muted = await client.conferences(sid).participants(alice!).update({ muted: true });
  assert.equal(muted.muted, true);
  assert.equal((await participants.list({ muted: true })).length, 1);
  const held = await client.conferences(sid).participants(bob!).update({ hold: true });
  assert.equal(held.hold, true);
  assert.equal((await client.conferences(sid).participants(bob!).fetch()).callSid, bob);
  assert.equal(await client.conferences(sid).participants(bob!).remove(), true);
  await assert.rejects(client.conferences(sid).participants(bob!).fetch(), { status: 404 });
  const ended = await client.conferences(sid).update({ status: "completed" });
  assert.deepEqual(
    [ended.status, ended.reasonConferenceEnded, ended.callSidEndingConference],
    ["completed", "conference-ended-via-api", null],
  );
  assert.equal(one.reasonConferenceEnded, null);
  await assert.rejects(client.conferences(sid).update({ status: "completed" }), { code: 21222 });
});

Deno.test("npm twilio calls a participant into a conference by its name, or its Sid", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const made = await client.conferences("Room & <1>").participants.create({
    from: "client:bob",
    to: "client:alice",
    muted: true,
    beep: "onExit",
    endConferenceOnExit: true,
    conferenceStatusCallback: "https://app.test/events?a=1&b=2",
    conferenceStatusCallbackEvent: ["start", "join"],
    timeout: 15,
    callReason: "your delivery",
    region: "us1",
    jitterBufferSize: "large",
  });
  const call = await (await lab.ask("GET", `Calls/${made.callSid}.json`)).json();
  assert.deepEqual(
    [call.call_reason, call.region, call.jitter_buffer_size],
    ["your delivery", "us1", "large"],
  );
  assert.equal(made.muted, true);
  assert.equal(made.endConferenceOnExit, true);
  await app.runJobs();
  const script = await companionOf(app, made.callSid).report({ type: "answered" });

  const [step] = script;
  assert.ok(step?.type === "consult");
  const { name, muted, beepOnEnter, beepOnExit, endOnExit, callback } = step.serviceContext;
  assert.deepEqual([name, muted, beepOnEnter, beepOnExit, endOnExit], [
    "Room & <1>",
    true,
    false,
    true,
    true,
  ]);
  assert.deepEqual(callback, {
    url: "https://app.test/events?a=1&b=2",
    method: "POST",
    events: ["start", "join"],
  });
  const { sid } = await conference(lab);
  const second = await client.conferences(sid).participants.create({
    from: "client:bob",
    to: "client:alice",
  });
  assert.equal(second.conferenceSid, sid);
});

/** A call that npm twilio places into a conference, and has joined it. */
async function joining(
  lab: Awaited<ReturnType<typeof startTwilioLab>>,
  wanted: Record<string, unknown>,
) {
  const made = await lab.client.conferences("Room").participants.create({
    from: "client:bob",
    to: "client:alice",
    ...wanted,
  });
  return await joined(lab, made);
}

/** The same of a call that was placed before. */
async function joined<T extends { callSid: string }>(
  { app }: Awaited<ReturnType<typeof startTwilioLab>>,
  made: T,
) {
  await app.runJobs();
  const leg = companionOf(app, made.callSid);
  const [consult] = await leg.report({ type: "answered" });
  assert.ok(consult?.type === "consult");
  const [step] = await leg.report({ type: "consulting", serviceContext: consult.serviceContext });
  assert.ok(step?.type === "conference");
  const { conferenceSid, startOnEnter, endOnExit, muted } = step;
  await leg.report({ type: "joined", conferenceSid, startOnEnter, endOnExit, muted });
  return { made, step, sid: conferenceSid, leg };
}

Deno.test("npm twilio labels a Participant, finds it by its label, and has it coach another", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const agent = await joining(lab, { label: "agent & 1" });
  const coached = { coaching: true, callSidToCoach: agent.made.callSid };
  const coach = await joining(lab, { label: "coach", ...coached });
  assert.deepEqual(
    [coach.made.label, coach.made.coaching, coach.made.callSidToCoach],
    ["coach", true, agent.made.callSid],
  );
  assert.equal(coach.step.coach, agent.made.callSid);
  const { sid } = agent;
  const participants = client.conferences(sid).participants;

  const found = await client.conferences(sid).participants("agent & 1").fetch();
  assert.deepEqual([found.callSid, found.label], [agent.made.callSid, "agent & 1"]);
  assert.deepEqual(
    (await participants.list({ coaching: true })).map(({ callSid }) => callSid),
    [coach.made.callSid],
  );
  const one = client.conferences(sid).participants("coach");
  const heard = await one.update({ coaching: false });
  assert.deepEqual([heard.coaching, heard.callSidToCoach], [false, null]);
  const again = await one.update(coached);
  assert.deepEqual([again.coaching, again.callSidToCoach], [true, agent.made.callSid]);
  const legs = { type: "change", leg: coach.made.callSid } as const;
  assert.deepEqual(app.conferenceOrders.map(({ order }) => order), [
    { ...legs, coach: null },
    { ...legs, coach: agent.made.callSid },
  ]);
  await assert.rejects(one.update({ coaching: true }), { status: 400, message: /CallSidToCoach/ });
  const stranger = { coaching: true, callSidToCoach: `CA${"9".repeat(32)}` };
  await assert.rejects(one.update(stranger), { status: 400, message: /must be a participant/ });
  await assert.rejects(client.conferences(sid).participants("nobody").fetch(), { status: 404 });
  assert.equal(await one.remove(), true);
  await assert.rejects(one.fetch(), { status: 404 });
});

Deno.test("npm twilio reads which call ended a conference by leaving it", async () => {
  await using lab = await startTwilioLab();
  await lab.app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { made, sid, leg } = await joining(lab, {});
  await leg.report({ type: "left", conferenceSid: sid, outcome: "completed", durationS: 1 });
  const over = await lab.client.conferences(sid).fetch();
  assert.deepEqual(
    [over.status, over.reasonConferenceEnded, over.callSidEndingConference],
    ["completed", "last-participant-left", made.callSid],
  );
});

Deno.test("a label names one participant: a second one is refused, or joins by markup without it", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const wanted = { from: "client:bob", to: "client:alice", label: "agent" };
  const room = client.conferences("Room").participants;
  const early = await room.create(wanted); // It rings while the other one joins.
  const first = await joining(lab, { label: "agent" });

  await assert.rejects(room.create(wanted), { status: 409, code: 20409, message: /Label "agent"/ });
  const { callSid } = await client.conferences("Other").participants.create(wanted);
  assert.notEqual(callSid, early.callSid);
  await joined(lab, early);

  const participants = await client.conferences(first.sid).participants.list();
  assert.deepEqual(
    participants.map(({ callSid, label }) => [callSid, label]).toSorted(),
    [[early.callSid, null], [first.made.callSid, "agent"]].toSorted(),
  );
  const [notice] = await client.calls(early.callSid).notifications.list();
  assert.equal(notice?.errorCode, "12200");
  await client.conferences(first.sid).participants("agent").remove();
  assert.equal((await room.create(wanted)).label, "agent");
});

Deno.test("npm twilio holds a Participant with a document, and changes its effect on leaving", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { made, sid } = await joining(lab, {});
  const one = client.conferences(sid).participants(made.callSid);
  const held = await one.update({
    hold: true,
    holdUrl: "https://app.test/hold",
    holdMethod: "GET",
  });
  assert.equal(held.hold, true);
  const changed = await one.update({
    waitUrl: "",
    beepOnExit: false,
    endConferenceOnExit: true,
  });
  assert.equal(changed.endConferenceOnExit, true);
  const legs = { type: "change", leg: made.callSid } as const;
  assert.deepEqual(app.conferenceOrders.map(({ order }) => order), [
    { ...legs, held: true, holdWith: { url: "https://app.test/hold", method: "GET", hops: 0 } },
    { ...legs, wait: null, beepOnExit: false, endOnExit: true },
  ]);
  await assert.rejects(one.update({ holdUrl: "ftp://app.test/" }), { status: 400 });
});

Deno.test("npm twilio announces to a Participant and to all of a Conference, once", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { made, sid } = await joining(lab, { label: "agent" });
  await joining(lab, {});
  app.answers = () =>
    new Response(
      `<Response><Say>Five minutes left</Say><Dial>client:alice</Dial></Response>`,
      { headers: { "content-type": "text/xml" } },
    );

  const announceUrl = "https://app.test/announce";
  await client.conferences(sid).participants("agent").update({ announceUrl });
  await app.runJobs();
  await client.conferences(sid).update({ announceUrl, announceMethod: "GET" });
  await app.runJobs();

  const orders = app.conferenceOrders.map(({ order }) => order);
  assert.deepEqual(
    orders.map((order) =>
      order.type === "announce" && [order.leg, ...order.script.map(({ type }) => type)]
    ),
    [[made.callSid, "say"], [undefined, "say"]],
  );
  const [toOne, toAll] = app.fetched;
  const form = new URLSearchParams(await toOne!.text());
  assert.deepEqual(
    [form.get("CallSid"), form.get("ConferenceSid"), form.get("FriendlyName")],
    [made.callSid, sid, "Room"],
  );
  assert.equal(toAll!.method, "GET");
  assert.equal(new URL(toAll!.url).searchParams.get("ConferenceSid"), sid);
  const { notifications } = (await app.root.get("Notifications.json")).json();
  assert.match(notifications[0].message_text, /"dial" in a wait document/);
  await client.conferences(sid).update({ status: "completed" });
  await assert.rejects(client.conferences(sid).update({ announceUrl }), { code: 21222 });
});
