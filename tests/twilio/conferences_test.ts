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
  assert.equal(ended.status, "completed");
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
  });
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
  await assert.rejects(
    client.conferences(sid).participants.create({
      from: "client:bob",
      to: "client:alice",
      label: "agent",
    }),
    { status: 400, message: /Label is not supported/ },
  );
});
