import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, companion, companionOf, made, xml } from "../support/service/hand_companion.ts";
import { caller, consult } from "../support/sip/conference_callers.ts";
import { makeParticipant, makeSample } from "../support/service/samples.ts";

/** A call in progress that plays something. */
async function talking(app: App): Promise<string> {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  app.answers = () => xml("<Play>hello.wav</Play>");
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: form.From, to: form.To, sipCallId: "sip-1" });
  await leg.report({ type: "answered" });
  return sid;
}

Deno.test("POST /Calls/{Sid} with Mute silences the leg and leaves its script alone", async () => {
  using app = await startApp();
  const sid = await talking(app);
  const before = app.scripts.length;
  const known = await callOf(app, sid);
  app.clock.now += 1_000;

  const muted = await app.root.post(`Calls/${sid}.json`, { Mute: "true" });
  const heard = await app.root.post(`Calls/${sid}`, { Mute: "false" });
  await app.runJobs();

  assert.equal(muted.status, 200, muted.text);
  assert.deepEqual(app.muted, [{ leg: sid, muted: true }, { leg: sid, muted: false }]);
  assert.equal(app.scripts.length, before, "no script was run");
  const { date_updated: _, ...call } = muted.json();
  const { date_updated: __, ...same } = known;
  assert.deepEqual(call, {
    ...same,
    conference_sid: null,
    muted: true,
    hold: false,
    start_conference_on_enter: null,
    end_conference_on_enter: null,
  });
  assert.match(heard.text, /<ConferenceSid\/><Muted>false<\/Muted><Hold>false<\/Hold>/);
  assert.deepEqual(Object.keys(await callOf(app, sid)), Object.keys(known));
});

/** A call in progress that is in a conference, whose companion has it. */
async function conferring(app: App) {
  const sid = await talking(app);
  const conferenceSid = await makeSample(app, app.root, { name: "conferences" });
  await app.ports.records.conferences.update(
    app.root.sid,
    conferenceSid,
    (record) => ({ record: { ...record, companion } }),
  );
  await makeParticipant(app, conferenceSid, sid);
  return { sid, conferenceSid, place: `Conferences/${conferenceSid}/Participants/${sid}.json` };
}

Deno.test("Mute of a call that is in a Conference is Mute of its Participant", async () => {
  using app = await startApp();
  const { sid, conferenceSid, place } = await conferring(app);
  const order = (muted: boolean) => ({
    conferenceSid,
    order: { type: "change", leg: sid, muted },
  });

  const answer = (await app.root.post(`Calls/${sid}.json`, { Mute: "true" })).json();
  assert.deepEqual(
    [answer.conference_sid, answer.muted, answer.hold, answer.start_conference_on_enter],
    [conferenceSid, true, false, true],
  );
  assert.equal((await app.root.get(place)).json().muted, true);

  const heard = (await app.root.post(`Calls/${sid}.json`, { Mute: "false" })).json();
  assert.equal(heard.muted, false);
  assert.equal((await app.root.get(place)).json().muted, false);
  assert.deepEqual(app.muted, [{ leg: sid, muted: true }, { leg: sid, muted: false }]);
  assert.deepEqual(app.conferenceOrders, [order(true), order(false)]);
});

Deno.test("Mute of a call that just left its Conference is of the call alone", async () => {
  using app = await startApp();
  const { sid } = await conferring(app);
  app.knowsConference = false;

  const answer = await app.root.post(`Calls/${sid}.json`, { Mute: "true" });

  assert.deepEqual([answer.status, answer.json().muted], [200, true]);
  assert.deepEqual(app.muted, [{ leg: sid, muted: true }]);
});

/** A call in progress whose companion has it in a conference, and has said nothing of that yet. */
async function arriving(app: App) {
  const dial = "<Dial><Conference>lobby</Conference></Dial>";
  const hand = await caller(app, "1", dial);
  const [step] = await consult(hand, hand.script);
  assert.ok(step?.type === "conference", Deno.inspect(step));
  await hand.report({ type: "answered" }, { wantsScript: false });
  const { conferenceSid, startOnEnter, endOnExit } = step;
  const place = `Conferences/${conferenceSid}/Participants/${hand.leg}.json`;
  const joined = (muted: boolean) =>
    hand.report({ type: "joined", conferenceSid, muted, startOnEnter, endOnExit });
  return { sid: hand.leg, conferenceSid, place, joined };
}

Deno.test("Mute in the moment before the Participant is there is shown once it is", async () => {
  using app = await startApp();
  const { sid, conferenceSid, place, joined } = await arriving(app);

  assert.equal((await app.root.post(`Calls/${sid}.json`, { Mute: "true" })).status, 200);
  await joined(false);

  const order = { type: "change", leg: sid, muted: true };
  assert.deepEqual(app.conferenceOrders, [{ conferenceSid, order }]);
  assert.equal((await app.root.get(place)).json().muted, true);
  await app.root.post(`Calls/${sid}.json`, { Mute: "false" });
  assert.equal((await app.root.get(place)).json().muted, false);
});

Deno.test("Mute of a call that is not in its conference yet is reported by its companion", async () => {
  using app = await startApp();
  const { sid, place, joined } = await arriving(app);
  app.knowsConference = false;

  assert.equal((await app.root.post(`Calls/${sid}.json`, { Mute: "false" })).status, 200);
  await joined(true);

  assert.equal((await app.root.get(place)).json().muted, true);
});

Deno.test("POST /Calls/{Sid} refuses Mute where the audio passes by, and after the end", async () => {
  using app = await startApp();
  const sid = await talking(app);
  app.hasMedia = false;
  const before = await callOf(app, sid);
  app.clock.now += 1_000;

  const refused = await app.root.post(`Calls/${sid}.json`, { Mute: "true" });
  assert.deepEqual([refused.status, refused.json().code], [400, 21221]);
  assert.match(refused.json().message, /Mute needs audio that passes through the companion/);
  assert.deepEqual(await callOf(app, sid), before);

  await app.root.post(`Calls/${sid}.json`, { Status: "completed" });
  await app.ports.records.calls.update(app.root.sid, sid, (call) => ({
    record: { ...call, status: "completed" },
  }));
  const late = await app.root.post(`Calls/${sid}.json`, { Mute: "true" });
  assert.equal(late.json().code, 21220);
  const unknown = await app.root.post(`Calls/CA${"0".repeat(32)}.json`, { Mute: "true" });
  assert.equal(unknown.status, 404);
  assert.equal(app.muted.length, 1);
});
