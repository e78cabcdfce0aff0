import assert from "node:assert/strict";
import type { ConferenceStep } from "../../core/protocol/conferences.ts";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { closeConferencesOf, tidyConferences } from "../../core/conferences/close.ts";
import { limits } from "../../core/base/limits.ts";
import type { Conference } from "../../core/model/resources/conferences.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companion, notifications, xml } from "../support/service/hand_companion.ts";
import { type Caller, caller, consult } from "../support/sip/conference_callers.ts";

/** A conference with all callbacks; its attributes may be others. */
const inConference = (attributes = "", dial = "") =>
  `<Dial ${dial}><Conference statusCallback="/events"
    statusCallbackEvent="start end join leave mute hold" ${attributes}>lobby</Conference></Dial>`;

async function join(hand: Caller, at = companion): Promise<ConferenceStep> {
  const [step] = await consult(hand, hand.script, at);
  assert.ok(step?.type === "conference", Deno.inspect(step));
  const { conferenceSid, muted, startOnEnter, endOnExit } = step;
  await hand.report({ type: "answered" }, { wantsScript: false, companion: at });
  const joined = { type: "joined", conferenceSid, muted, startOnEnter, endOnExit } as const;
  await hand.report(joined, { companion: at });
  return step;
}

const leave = ({ report }: Caller, { conferenceSid, action }: ConferenceStep, wantsScript = true) =>
  report({
    type: "left",
    conferenceSid,
    outcome: "completed",
    durationS: 7,
    ...action && { action },
  }, { wantsScript });

/** Callbacks, in order of arrival. */
async function told(app: App): Promise<Record<string, string>[]> {
  await app.runJobs();
  const sent = app.fetched.filter(({ url }) => url === "https://app.test/events");
  return await Promise.all(
    sent.map(async (one) => Object.fromEntries(new URLSearchParams(await one.clone().text()))),
  );
}

const newsOf = async (app: App) =>
  (await told(app)).map(({ StatusCallbackEvent, CallSid = "" }) =>
    `${StatusCallbackEvent} ${CallSid.at(-1) ?? ""}`.trim()
  );

async function listed(app: App, sid: string): Promise<string[]> {
  const { participants } = (await app.root.get(`Conferences/${sid}/Participants.json`)).json();
  return participants.map(({ call_sid }: { call_sid: string }) => call_sid.at(-1)).toSorted();
}

const statusOf = async (app: App, sid: string) =>
  (await app.root.get(`Conferences/${sid}.json`)).json().status;

Deno.test("two calls into a Conference of a name meet in one record, which ends with the last", async () => {
  using app = await startApp();
  const one = await caller(app, "1", inConference());
  const first = await join(one);
  const sid = first.conferenceSid;
  assert.equal(await statusOf(app, sid), "init");
  assert.deepEqual(await listed(app, sid), ["1"]);

  const two = await caller(app, "2", inConference(`muted="true" endConferenceOnExit="false"`));
  app.clock.now += 1_000;
  const second = await join(two);
  assert.equal(second.conferenceSid, sid);
  assert.equal(await statusOf(app, sid), "in-progress");
  const shown = (await app.root.get(`Conferences/${sid}/Participants/${two.leg}.json`)).json();
  assert.deepEqual([shown.muted, shown.start_conference_on_enter], [true, true]);

  assert.deepEqual(await leave(one, first), []);
  assert.deepEqual(await listed(app, sid), ["2"]);
  await leave(two, second);
  assert.deepEqual(await listed(app, sid), []);
  const conference = (await app.root.get(`Conferences/${sid}.json`)).json();
  assert.deepEqual([conference.status, conference.friendly_name], ["completed", "lobby"]);

  assert.deepEqual(await newsOf(app), [
    "participant-join 1",
    "participant-join 2",
    "conference-start",
    "participant-leave 1",
    "participant-leave 2",
    "conference-end",
  ]);
  const [joined, , , , , end] = await told(app);
  assert.deepEqual(joined, {
    AccountSid: app.root.sid,
    ApiVersion: "2012-04-24",
    ConferenceSid: sid,
    FriendlyName: "lobby",
    StatusCallbackEvent: "participant-join",
    CallSid: one.leg,
    Muted: "false",
    Hold: "false",
    StartConferenceOnEnter: "true",
    EndConferenceOnExit: "false",
    Timestamp: "Wed, 31 Jan 2024 12:00:00 +0000",
    SequenceNumber: "0",
  });
  assert.equal(end!.ReasonConferenceEnded, "last-participant-left");

  const three = await caller(app, "3", inConference());
  assert.notEqual((await join(three)).conferenceSid, sid, "a name is free for another");
});

Deno.test("a Conference reports the requested events, by default start and end", async () => {
  using app = await startApp();
  const markup = `<Dial><Conference statusCallback="/events">lobby</Conference></Dial>`;
  const hands = [await caller(app, "1", markup), await caller(app, "2", markup)] as const;
  const steps = [await join(hands[0]), await join(hands[1])] as const;
  await leave(hands[1], steps[1]);
  await leave(hands[0], steps[0]);
  assert.deepEqual(await newsOf(app), ["conference-start", "conference-end"]);

  const silent = `<Dial><Conference>quiet</Conference></Dial>`;
  const third = await caller(app, "3", silent);
  await leave(third, await join(third));
  assert.equal((await told(app)).length, 2);
});

Deno.test("startConferenceOnEnter and endConferenceOnExit of participants begin and end a Conference", async () => {
  using app = await startApp();
  const [one, two, three] = [
    await caller(app, "1", inConference(`startConferenceOnEnter="false"`)),
    await caller(app, "2", inConference(`startConferenceOnEnter="false"`)),
    await caller(app, "3", inConference(`endConferenceOnExit="true"`)),
  ] as const;
  const first = await join(one);
  const second = await join(two);
  assert.equal(await statusOf(app, first.conferenceSid), "init");
  const third = await join(three);
  assert.equal(await statusOf(app, first.conferenceSid), "in-progress");

  await leave(three, third);
  assert.equal(await statusOf(app, first.conferenceSid), "completed");
  await leave(one, first);
  await leave(two, second);

  assert.deepEqual(await listed(app, first.conferenceSid), []);
  const events = await told(app);
  assert.equal(events.length, 8);
  assert.deepEqual((await newsOf(app)).slice(4), [
    "participant-leave 3",
    "participant-leave 1",
    "participant-leave 2",
    "conference-end",
  ]);
  const { ReasonConferenceEnded, CallSidEndingConference } = events.at(-1)!;
  assert.deepEqual([ReasonConferenceEnded, CallSidEndingConference], [
    "participant-with-end-conference-on-exit-left",
    three.leg,
  ]);
});

Deno.test("a Conference that a request ends reports its end once, after all have left", async () => {
  using app = await startApp();
  const [one, two] = [
    await caller(app, "1", inConference()),
    await caller(app, "2", inConference()),
  ] as const;
  const steps = [await join(one), await join(two)] as const;
  const sid = steps[0].conferenceSid;

  await app.root.post(`Conferences/${sid}.json`, { Status: "completed" });
  assert.equal(await statusOf(app, sid), "completed");
  await leave(one, steps[0]);
  assert.equal((await newsOf(app)).at(-1), "participant-leave 1");
  await leave(two, steps[1]);
  await leave(two, steps[1]);

  assert.deepEqual((await newsOf(app)).slice(-2), ["participant-leave 2", "conference-end"]);
  const end = (await told(app)).at(-1)!;
  assert.equal(end.ReasonConferenceEnded, "conference-ended-via-api");
  assert.equal(end.CallSidEndingConference, undefined);
});

Deno.test("Dial's action gets the time of a call in the Conference, also when it hung up there", async () => {
  using app = await startApp();
  const one = await caller(app, "1", inConference("", `action="/after"`));
  const step = await join(one);
  app.fetched.length = 0;
  app.answers = () => xml("<Hangup/>");

  assert.deepEqual(await leave(one, step), [{ type: "hangup" }]);
  const asked = new URLSearchParams(await app.fetched[0]!.clone().text());
  assert.equal(app.fetched[0]!.url, "https://app.test/after");
  assert.deepEqual(
    ["DialCallStatus", "DialCallDuration", "ConferenceSid"].map((name) => asked.get(name)),
    ["completed", "7", step.conferenceSid],
  );

  const two = await caller(app, "2", inConference("", `action="/after"`));
  const second = await join(two);
  app.fetched.length = 0;
  await leave(two, second, false);
  await two.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
  assert.equal(app.fetched.filter(({ url }) => url === "https://app.test/after").length, 1);
});

Deno.test("Dial's action gets the recording of a Conference", async () => {
  using app = await startApp();
  const one = await caller(app, "1", inConference(`record="true"`, `action="/after"`));
  const step = await join(one);
  const { conferenceSid, action, record } = step;
  assert.ok(record !== undefined && action !== undefined);
  app.fetched.length = 0;
  await one.report({
    type: "left",
    conferenceSid,
    outcome: "completed",
    durationS: 7,
    recording: { sid: record.sid, durationS: 5 },
    action,
  });

  const asked = new URLSearchParams(await app.fetched[0]!.clone().text());
  assert.deepEqual([asked.get("RecordingSid"), asked.get("RecordingDuration")], [record.sid, "5"]);
  assert.match(asked.get("RecordingUrl") ?? "", new RegExp(record.sid));
});

Deno.test("a Conference that is full sends Dial's action busy, or goes on with the next verb", async () => {
  using app = await startApp();
  await join(await caller(app, "1", inConference(`maxParticipants="1"`)));
  const two = await caller(app, "2", inConference(`maxParticipants="1"`, `action="/after"`));
  app.fetched.length = 0;
  app.answers = () => xml("<Reject/>");

  assert.deepEqual(await consult(two, two.script), [{ type: "reject", status: 603 }]);
  const asked = new URLSearchParams(await app.fetched[0]!.clone().text());
  assert.equal(asked.get("DialCallStatus"), "busy");

  const three = await caller(app, "3", inConference(`maxParticipants="1"`));
  assert.deepEqual(await consult(three, three.script), []);
});

Deno.test("reports that come again, or late, change nothing", async () => {
  using app = await startApp();
  const [one, two] = [
    await caller(app, "1", inConference()),
    await caller(app, "2", inConference()),
  ];
  const step = await join(one);
  await one.repeat();
  await join(two);
  assert.deepEqual(await listed(app, step.conferenceSid), ["1", "2"]);
  await leave(one, step);
  await one.repeat();
  const { muted, startOnEnter, endOnExit, conferenceSid } = step;
  const late = { type: "joined", conferenceSid, muted, startOnEnter, endOnExit } as const;
  await one.report(late, { seq: 3 });

  assert.deepEqual(await listed(app, conferenceSid), ["2"]);
  const news = await newsOf(app);
  assert.equal(news.length, new Set(news).size);
});

Deno.test("a call that ends is in no list, though its companion did not say that it left", async () => {
  using app = await startApp();
  const one = await caller(app, "1", inConference());
  const step = await join(one);
  await one.report({ type: "ended", outcome: "completed" });

  assert.deepEqual(await listed(app, step.conferenceSid), []);
  assert.equal(await statusOf(app, step.conferenceSid), "completed");
});

Deno.test("a companion that starts again, or is gone, takes its Conferences with it", async () => {
  for (const isGone of [false, true]) {
    using app = await startApp();
    const beat = (runId: string) =>
      takeHeartbeat({ companion: { ...companion, runId }, legs: [], registered: 0 }, app.ports);
    await beat(companion.runId);
    const [one, two] = [
      await caller(app, "1", inConference()),
      await caller(app, "2", inConference()),
    ];
    const { conferenceSid } = await join(one);
    await join(two);
    app.clock.now += limits.companionLostMs + 1;

    if (isGone) await closeLostCompanions(app.ports);
    else await beat("another run");

    assert.deepEqual(await listed(app, conferenceSid), []);
    assert.equal(await statusOf(app, conferenceSid), "completed");
    const news = await newsOf(app);
    assert.deepEqual(news.slice(3).toSorted(), [
      "conference-end",
      "participant-leave 1",
      "participant-leave 2",
    ]);
    const three = await caller(app, "3", inConference());
    assert.notEqual((await join(three)).conferenceSid, conferenceSid);
  }
});

Deno.test("a companion that is lost after a request ended its Conference leaves no participant in it", async () => {
  using app = await startApp();
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  const [one, two] = [
    await caller(app, "1", inConference()),
    await caller(app, "2", inConference()),
  ];
  const { conferenceSid } = await join(one);
  await join(two);
  await app.root.post(`Conferences/${conferenceSid}.json`, { Status: "completed" });
  assert.equal((await newsOf(app)).length, 3);
  app.clock.now += limits.companionLostMs + 1;
  await closeLostCompanions(app.ports);

  assert.deepEqual(await listed(app, conferenceSid), []);
  const news = (await newsOf(app)).slice(3);
  assert.deepEqual(news.slice(0, 2).toSorted(), ["participant-leave 1", "participant-leave 2"]);
  assert.deepEqual(news.slice(2), ["conference-end"]);
  const end = (await told(app)).at(-1)!;
  assert.equal(end.ReasonConferenceEnded, "conference-ended-via-api");
});

Deno.test("a reserved place without its call keeps no Conference open", async () => {
  using app = await startApp();
  const beat = () => takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  const one = await caller(app, "1", inConference());
  const [step] = await consult(one, one.script);
  assert.ok(step?.type === "conference");
  await one.report({ type: "ended", outcome: "canceled" });
  await beat();
  assert.equal(await statusOf(app, step.conferenceSid), "init");

  app.clock.now += limits.legForgottenMs + 1;
  await beat();
  assert.equal(await statusOf(app, step.conferenceSid), "completed");
});

Deno.test("a call that joins while a heartbeat is handled stays in the Conference, however late", async () => {
  using app = await startApp();
  const one = await caller(app, "1", inConference());
  const [step] = await consult(one, one.script);
  assert.ok(step?.type === "conference");
  const { conferenceSid, muted, startOnEnter, endOnExit } = step;
  await one.report({ type: "answered" }, { wantsScript: false });
  app.clock.now += limits.legForgottenMs + 1;
  const { conferences } = app.ports.records;
  const { group } = conferences;
  conferences.group = async (...asked) => {
    const members = await group(...asked);
    await one.report({ type: "joined", conferenceSid, muted, startOnEnter, endOnExit });
    return members;
  };
  await tidyConferences(companion, new Set(), app.ports);

  assert.deepEqual(await listed(app, conferenceSid), ["1"]);
  assert.equal(await statusOf(app, conferenceSid), "init");
});

Deno.test("a call that joins a Conference that was ended meanwhile makes its companion end it", async () => {
  using app = await startApp();
  const one = await caller(app, "1", inConference());
  const [step] = await consult(one, one.script);
  assert.ok(step?.type === "conference");
  const ended = await app.root.post(`Conferences/${step.conferenceSid}.json`, {
    Status: "completed",
  });
  assert.equal(ended.json().status, "completed");
  await app.runJobs();
  app.conferenceOrders.length = 0;
  const { conferenceSid, muted, startOnEnter, endOnExit } = step;
  await one.report({ type: "joined", conferenceSid, muted, startOnEnter, endOnExit });
  await app.runJobs();

  assert.deepEqual(app.conferenceOrders, [{ conferenceSid, order: { type: "end" } }]);
  assert.deepEqual(await listed(app, conferenceSid), []);
});

Deno.test("a call at another companion is sent to where the Conference is, while that one lives", async () => {
  using app = await startApp();
  const far = { id: "far", runId: "run" };
  const sipUri = "sip:127.0.0.1:5062;transport=ws";
  for (const one of [companion, far]) {
    await takeHeartbeat({ companion: one, sipUri, legs: [], registered: 0 }, app.ports);
  }
  const { conferenceSid } = await join(await caller(app, "1", inConference()));
  const two = await caller(app, "2", inConference(`muted="true"`, `action="/after"`), far);

  const [step] = await consult(two, two.script, far);
  assert.ok(step?.type === "conference", Deno.inspect(step));
  assert.deepEqual(step.at, { sipUri, runId: companion.runId });
  assert.deepEqual([step.conferenceSid, step.muted], [conferenceSid, true]);
  const [again] = await consult(two, two.script, far);
  assert.deepEqual(again, step);

  app.clock.now += limits.companionLostMs + 1;
  await takeHeartbeat({ companion: far, sipUri, legs: [], registered: 0 }, app.ports);
  const three = await caller(app, "3", inConference(), far);
  const [next] = await consult(three, three.script, far);
  assert.ok(
    next?.type === "conference" && next.conferenceSid !== conferenceSid,
    "the name is free",
  );
  assert.equal(next.at, undefined);
});

Deno.test("closeConference() removes all participants, also after it was interrupted", async () => {
  using app = await startApp();
  const { conferenceSid: sid } = await join(await caller(app, "1", inConference()));
  await join(await caller(app, "2", inConference()));
  const { conferences } = app.ports.records;
  let left = 1;
  const update: typeof conferences.update = (...args) =>
    left-- > 0 ? conferences.update(...args) : Promise.reject(new Error("cut off"));
  const records = { ...app.ports.records, conferences: { ...conferences, update } };

  const stuck = await closeConferencesOf(companion.id, { ...app.ports, records });
  const [before, others] = [await statusOf(app, sid), await listed(app, sid)];
  await closeConferencesOf(companion.id, app.ports);

  assert.deepEqual([stuck, before, others], [1, "in-progress", ["2"]]);
  assert.deepEqual([await statusOf(app, sid), await listed(app, sid)], ["completed", []]);
  const end = (await told(app)).at(-1)!;
  assert.deepEqual(
    [end.StatusCallbackEvent, end.ReasonConferenceEnded],
    ["conference-end", "companion-lost"],
  );
});

/** A call in a conference at one companion, and another, at a second one, that could not reach it. */
async function missing(app: App, looks: App["companionLooks"]) {
  const far = { id: "far", runId: "run" };
  const sipUri = "sip:127.0.0.1:5062;transport=ws";
  for (const one of [companion, far]) {
    await takeHeartbeat({ companion: one, sipUri, legs: [], registered: 0 }, app.ports);
  }
  app.companionLooks = looks;
  const { conferenceSid } = await join(await caller(app, "1", inConference()));
  const two = await caller(app, "2", inConference("", `action="/after"`), far);
  const [step] = await consult(two, two.script, far);
  assert.ok(step?.type === "conference" && step.serviceContext !== undefined);
  app.fetched.length = 0;
  app.answers = () => xml("<Hangup/>");
  const miss = (serviceContext = step.serviceContext!, more = {}) =>
    two.report({
      type: "consulting",
      serviceContext: { ...serviceContext, unreached: conferenceSid, ...more },
      ...step.action && { action: step.action },
    }, { companion: far });
  return { two, conferenceSid, miss };
}

/** A companion is heard of now. */
async function beat({ ports }: App, id: string): Promise<void> {
  const { companions, now } = ports;
  await companions.beat({ ...(await companions.get(id))!, seenAt: now() });
}

Deno.test("a conference out of reach at a companion that lives fails Dial, and a Notification says so once", async () => {
  using app = await startApp();
  const { conferenceSid, miss, two } = await missing(app, "there");

  await miss();
  await two.repeat();

  const asked = new URLSearchParams(await app.fetched[0]!.clone().text());
  assert.equal(asked.get("DialCallStatus"), "failed");
  assert.deepEqual(await notifications(app), [
    `Cannot join the conference: the companion of ${conferenceSid} is unreachable`,
  ]);
  assert.equal(await statusOf(app, conferenceSid), "init", "its call is there still");
});

for (
  const [why, looks, more] of [
    ["at whose address nobody answers", "gone", {}],
    ["that says that it was started anew", "there", { isGone: true }],
  ] as const
) {
  Deno.test(`a companion ${why} leaves the name of its conference to others at once`, async () => {
    using app = await startApp();
    const { conferenceSid, miss } = await missing(app, looks);

    const [step] = await miss(undefined, more);

    assert.ok(step?.type === "conference" && step.conferenceSid !== conferenceSid);
    assert.equal(step.at, undefined, "the new conference is where the call is");
    assert.equal(await statusOf(app, conferenceSid), "completed");
    await app.runJobs();
    assert.deepEqual(app.conferenceOrders, []);
    assert.deepEqual(await notifications(app), []);
  });
}

Deno.test("a silent companion is looked at until its heartbeats are too old, then its name is free", async () => {
  using app = await startApp();
  const { conferenceSid, miss } = await missing(app, "silent");

  const [silence, again] = await miss();
  assert.ok(silence?.type === "silence" && again?.type === "consult");
  app.clock.now += limits.companionLostMs + 1;
  await beat(app, "far");
  const [step] = await miss(again.serviceContext);
  await app.runJobs();

  assert.ok(step?.type === "conference" && step.conferenceSid !== conferenceSid);
  // Should it go on after all, it is not to have a second conference of that name.
  assert.deepEqual(app.conferenceOrders, [{ conferenceSid, order: { type: "end" } }]);
});

Deno.test("a silent companion whose heartbeats go on keeps its conference, and Dial fails in the end", async () => {
  using app = await startApp();
  const { conferenceSid, miss } = await missing(app, "silent");

  const [, again] = await miss();
  assert.ok(again?.type === "consult");
  app.clock.now += limits.companionLostMs;
  await beat(app, companion.id);
  await miss(again.serviceContext);

  assert.equal(
    new URLSearchParams(await app.fetched[0]!.clone().text()).get("DialCallStatus"),
    "failed",
  );
  assert.equal(await statusOf(app, conferenceSid), "init");
});

Deno.test("Mute=false of a Participant lets its call be heard too, where that is at another companion", async () => {
  using app = await startApp();
  const far = { id: "far", runId: "run" };
  for (const one of [companion, far]) {
    const sipUri = "sip:127.0.0.1:5062;transport=ws";
    await takeHeartbeat({ companion: one, sipUri, legs: [], registered: 0 }, app.ports);
  }
  await join(await caller(app, "1", inConference()));
  const two = await caller(app, "2", inConference(), far);
  const { conferenceSid } = await join(two, far);
  for (const Mute of ["true", "false"]) {
    await app.root.post(`Conferences/${conferenceSid}/Participants/${two.leg}.json`, { Mute });
  }
  assert.deepEqual(app.muted, [{ leg: two.leg, muted: false }]);
});

Deno.test("Conferences of a name are one for each account", async () => {
  using app = await startApp();
  const step = await join(await caller(app, "1", inConference()));
  const other = await app.subAccount(app.root, "other");
  const kept = (await app.ports.records.conferences.get(app.root.sid, step.conferenceSid))!;
  const foreign = { ...kept, sid: app.ports.newSid("CF"), accountSid: other.sid };
  const named: Conference = { ...foreign, liveName: `${other.sid}/lobby` };
  await app.ports.records.conferences.insert({ record: named });

  const two = await caller(app, "2", inConference());
  assert.equal((await join(two)).conferenceSid, step.conferenceSid);
});

Deno.test("many calls that enter at once meet in one Conference", async () => {
  using app = await startApp();
  const digits = [..."123456789abcdef"];
  const hands = [];
  for (const digit of digits) hands.push(await caller(app, digit, inConference()));

  const steps = await Promise.all(hands.map((hand) => join(hand)));

  const [sid] = new Set(steps.map(({ conferenceSid }) => conferenceSid));
  assert.ok(steps.every(({ conferenceSid }) => conferenceSid === sid));
  assert.deepEqual(await listed(app, sid!), digits);
  await Promise.all(hands.map((hand, at) => leave(hand, steps[at]!)));
  assert.deepEqual(await listed(app, sid!), []);
  assert.equal(await statusOf(app, sid!), "completed");
  const sequence = (await told(app)).map(({ SequenceNumber }) => Number(SequenceNumber));
  assert.deepEqual(sequence, digits.concat(digits).concat(["", ""]).map((_, at) => at));
});

Deno.test("a wait document gives its sounds; other verbs are skipped and noted", async () => {
  using app = await startApp();
  const one = await caller(app, "1", inConference(`waitUrl="/wait" waitMethod="GET"`));
  const step = await join(one);
  assert.deepEqual(step.wait, { url: "https://app.test/wait", method: "GET", hops: 0 });
  app.answers = () => xml(`<Play>/a.wav</Play><Pause/><Dial>bob</Dial>`);

  const sounds = await one.report({ type: "waiting", action: step.wait! });
  assert.deepEqual(sounds, [
    { type: "play", url: "https://app.test/a.wav", loop: 1 },
    { type: "silence", seconds: 1 },
  ]);
  assert.match((await notifications(app)).join(), /wait document|cannot be called/);
  app.answers = () => new Response("RIFF", { headers: { "content-type": "audio/wav" } });
  assert.deepEqual(await one.report({ type: "waiting", action: step.wait! }), [
    { type: "play", url: "https://app.test/wait", loop: 1 },
  ]);
  app.answers = () => new Response(null, { status: 500 });
  assert.deepEqual(await one.report({ type: "waiting", action: step.wait! }), []);
  assert.match((await notifications(app))[0]!, /Cannot fetch the markup document/);
});
