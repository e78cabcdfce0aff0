import assert from "node:assert/strict";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  callOf,
  companion,
  companionOf,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

async function client(app: App, login: string, form: Record<string, string> = {}) {
  const created = await app.root.post("Clients.json", {
    Login: login,
    Password: "secret",
    ...form,
  });
  assert.equal(created.status, 200, created.text);
  return created.json();
}

async function postCall(app: App, form: Record<string, string> = {}) {
  const sent = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice", ...form };
  const call = (await app.root.post("Calls.json", sent)).json();
  await app.runJobs();
  return call.sid as string;
}

const inviting = (to = "client:alice") =>
  ({ type: "inviting", from: "+15550001", to, sipCallId: "sip-1" }) as const;
const allEvents = {
  StatusCallback: "https://app.test/events",
  StatusCallbackEvent: "initiated ringing answered completed",
};

/** The forms of the callbacks sent so far, in the order of their events: they may overtake. */
async function callbacks(app: App): Promise<URLSearchParams[]> {
  await app.runJobs();
  const sent = app.fetched.filter(({ url }) => url === "https://app.test/events");
  const forms = await Promise.all(
    sent.map(async (one) => new URLSearchParams(await one.clone().text())),
  );
  const at = (form: URLSearchParams) => Number(form.get("SequenceNumber"));
  return forms.toSorted((a, b) => at(a) - at(b));
}

Deno.test("POST /Calls rings, is answered, performs the markup and reports every event in order", async () => {
  using app = await startApp();
  await client(app, "alice");
  app.answers = (request) =>
    request.url === "https://app.test/voice" ? xml("<Play>hello.wav</Play>") : new Response();

  const sid = await postCall(app, allEvents);
  assert.deepEqual(app.scripts, [{
    leg: sid,
    script: [{
      type: "invite",
      timeoutS: 60,
      invitation: {
        leg: sid,
        accountSid: app.root.sid,
        from: "+15550001",
        to: "client:alice",
        target: { kind: "client", login: "alice" },
      },
    }],
  }]);

  const leg = companionOf(app, sid);
  await leg.report(inviting());
  assert.equal((await callOf(app, sid)).status, "queued");
  await leg.report({ type: "ringing" });
  assert.equal((await callOf(app, sid)).status, "ringing");
  app.clock.now += 5_000;
  assert.deepEqual(await leg.report({ type: "answered" }), [
    { type: "play", url: "https://app.test/hello.wav", loop: 1 },
    { type: "hangup", cause: "end-of-markup" },
  ]);
  assert.equal((await callOf(app, sid)).status, "in-progress");
  app.clock.now += 7_000;
  await leg.report({ type: "ended", outcome: "completed" });

  const call = await callOf(app, sid);
  assert.deepEqual([call.status, call.duration, call.price], ["completed", "7", "0.00"]);
  const told = await callbacks(app);
  assert.deepEqual(
    told.map((
      form,
    ) => [form.get("CallStatus"), form.get("SequenceNumber"), form.get("CallDuration")]),
    [["initiated", "0", null], ["ringing", "1", null], ["in-progress", "2", null], [
      "completed",
      "3",
      "7",
    ]],
  );
  assert.ok(told.every((form) => form.get("CallSid") === sid && form.get("Timestamp")));
});

Deno.test("the first document is requested with the parameters of the call, signed", async () => {
  using app = await startApp();
  await client(app, "alice");
  app.answers = () => xml("<Hangup/>");
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  await leg.report({ type: "answered" });

  const [request] = app.fetched as [Request];
  assert.equal(request.method, "POST");
  assert.match(request.headers.get("x-switchboard-signature") ?? "", /^t=\d+,v1=[0-9a-f]{64}$/);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(await request.text())), {
    CallSid: sid,
    AccountSid: app.root.sid,
    From: "+15550001",
    To: "client:alice",
    CallStatus: "in-progress",
    ApiVersion: "2012-04-24",
    Direction: "outbound-api",
    CallTimestamp: new Date(app.clock.now).toISOString(),
    InstanceId: "test",
    SipCallId: "sip-1",
  });
});

for (const outcome of ["busy", "no-answer", "failed", "canceled"] as const) {
  Deno.test(`a call that ends as ${outcome} is reported as completed, once`, async () => {
    using app = await startApp();
    await client(app, "alice");
    const sid = await postCall(app, { StatusCallback: "https://app.test/events" });
    const leg = companionOf(app, sid);
    await leg.report(inviting());
    await leg.report({ type: "ended", outcome, sipStatus: 486 });
    await leg.repeat();
    await leg.report({ type: "ended", outcome: "completed" });

    assert.equal((await callOf(app, sid)).status, outcome);
    const told = await callbacks(app);
    assert.deepEqual(told.map((form) => [form.get("CallStatus"), form.get("CallDuration")]), [
      [outcome, "0"],
    ]);
  });
}

Deno.test("a call to an unknown address fails with a Notification and its callback", async () => {
  using app = await startApp();
  const sid = await postCall(app, {
    To: "client:nobody",
    StatusCallback: "https://app.test/events",
  });
  assert.equal((await callOf(app, sid)).status, "failed");
  assert.deepEqual((await callbacks(app)).map((form) => form.get("CallStatus")), ["failed"]);
  assert.deepEqual(await notifications(app), [
    "Cannot route the call: the address has no destination: client:nobody",
  ]);
});

for (
  const [reason, text] of [
    ["not-registered", /none of its phones/],
    ["media-lost", /audio/],
    ["no-trunk", /no Gateway accepted it/],
    ["no-codec", /no media in common/],
  ] as const
) {
  Deno.test(`a leg that ends as ${reason} leaves one Notification`, async () => {
    using app = await startApp();
    await client(app, "alice");
    const leg = companionOf(app, await postCall(app));
    await leg.report({ type: "ended", outcome: "failed", reason });
    await leg.repeat();
    const told = await notifications(app);
    assert.equal(told.length, 1);
    assert.match(told[0]!, text);
  });
}

for (
  const [disconnection, sipStatus, text] of [
    [{ by: "remote", cause: "refused", text: "Busy Here" }, 480, /the called side refused it/],
    [
      { by: "service", cause: "exhausted", text: "" },
      503,
      /a resource of the machine is exhausted: .*RTP_PORTS/,
    ],
    [{ by: "service", cause: "error" }, 500, /the SIP companion failed/],
    [{ by: "service", cause: "unreachable", text: "no such host" }, 503, /no response.*no such/],
  ] as const
) {
  Deno.test(`a failure by ${disconnection.by}, ${disconnection.cause}, is reported with its cause`, async () => {
    using app = await startApp();
    await client(app, "alice");
    const leg = companionOf(app, await postCall(app));
    const detail = disconnection.cause === "exhausted" ? "RTP_PORTS are all taken" : "";
    await leg.report({ type: "ended", outcome: "failed", sipStatus, detail, disconnection });
    const told = await notifications(app);
    assert.equal(told.length, 1);
    assert.match(told[0]!, text);
  });
}

Deno.test("while all companions are full a call to a number gets 503, one to a Client goes on", async () => {
  using app = await startApp();
  await client(app, "alice");
  const beat = { legs: [], registered: 0 };
  const short = { companion: { id: "one", runId: "1" }, shortage: "RTP_PORTS are all taken" };
  await takeHeartbeat({ ...beat, ...short }, app.ports);
  const call = { From: "+15550001", Url: "https://app.test/voice" };
  const toNumber = async () => await app.root.post("Calls.json", { ...call, To: "+15550002" });

  const refused = await toNumber();
  assert.deepEqual([refused.status, refused.json().code], [503, 13238]);
  assert.match(refused.json().message, /RTP_PORTS are all taken/);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  const answer = await app.root.post("Calls.json", { ...call, To: "client:alice" });
  assert.equal(answer.status, 200);
  await takeHeartbeat({ ...beat, companion: { id: "two", runId: "1" } }, app.ports);
  app.clock.now += limits.drainCacheMs;
  assert.notEqual((await toNumber()).status, 503);
});

Deno.test("a call to a disabled Client fails and says so", async () => {
  using app = await startApp();
  await client(app, "alice", { Status: "0" });
  const sid = await postCall(app);
  assert.equal((await callOf(app, sid)).status, "failed");
  assert.match((await notifications(app))[0]!, /client:alice is disabled/);
});

Deno.test("a call that no companion takes within DIAL_MAX_AGE_S fails, and is not placed late", async () => {
  using app = await startApp();
  const { run } = app.ports.control;
  app.ports.control.run = () => Promise.reject(new TypeError("connection refused"));
  await client(app, "alice");
  const sid = await postCall(app, { StatusCallback: "https://app.test/events" });
  for (let i = 0; i < 5; i++) {
    app.clock.now += 5_000;
    await app.runJobs();
    assert.equal((await callOf(app, sid)).status, "queued");
  }
  app.ports.control.run = run;
  app.clock.now += 5_001;
  await app.runJobs();
  assert.equal((await callOf(app, sid)).status, "failed");
  assert.match(
    (await notifications(app))[0]!,
    /Cannot place the call in time: no companion took it within 30 s/,
  );
  await app.runJobs();
  assert.deepEqual([app.scripts, app.fetched.map(({ url }) => url)], [
    [],
    ["https://app.test/events"],
  ]);
});

Deno.test("a call is placed when a companion is back in time", async () => {
  using app = await startApp();
  const { run } = app.ports.control;
  app.ports.control.run = () => Promise.reject(new TypeError("connection refused"));
  await client(app, "alice");
  const sid = await postCall(app);
  app.clock.now += 25_000;
  app.ports.control.run = run;
  await app.runJobs();
  assert.deepEqual(app.scripts.map(({ leg }) => leg), [sid]);
});

Deno.test("FallbackUrl is requested with the error when Url fails; both failing hang up", async () => {
  using app = await startApp();
  await client(app, "alice");
  let fallbackFails = false;
  app.answers = ({ url }) =>
    url === "https://app.test/voice" || fallbackFails
      ? new Response("oops", { status: 500 })
      : xml("<Pause/>");
  for (
    const script of [
      [{ type: "silence", seconds: 1 }, { type: "hangup", cause: "end-of-markup" }],
      [{ type: "hangup", cause: "document-failed" }],
    ]
  ) {
    const sid = await postCall(app, { FallbackUrl: "https://app.test/fallback" });
    const leg = companionOf(app, sid);
    await leg.report(inviting());
    assert.deepEqual(await leg.report({ type: "answered" }), script);
    const form = new URLSearchParams(await app.fetched.at(-1)!.clone().text());
    assert.equal(form.get("ErrorCode"), "11210");
    assert.equal(form.get("ErrorUrl"), "https://app.test/voice");
    fallbackFails = true;
  }
  assert.deepEqual(
    await notifications(app),
    Array(3).fill(
      "Cannot fetch the markup document: the server answered 500",
    ),
  );
});

Deno.test("Redirect goes from document to document, and a loop of them ends the call", async () => {
  using app = await startApp();
  await client(app, "alice");
  app.answers = () => xml("<Redirect>again</Redirect>");
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  let [step] = await leg.report({ type: "answered" });
  let documents = 1;
  while (step?.type === "next") {
    [step] = await leg.report({ type: "next", action: step.action });
    documents++;
  }
  assert.deepEqual(step, { type: "hangup", cause: "document-failed" });
  assert.equal(documents, limits.documentHops + 2);
  assert.match((await notifications(app))[0]!, /50 documents in a row redirected without/);
});

Deno.test("an action gets the failure of a verb that could not be performed", async () => {
  using app = await startApp();
  await client(app, "alice");
  app.answers = ({ url }) =>
    xml(url.endsWith("/done") ? "<Pause/>" : `<Dial action="/done"><Sip>rubbish</Sip></Dial>`);
  const leg = companionOf(app, await postCall(app));
  await leg.report(inviting());
  const [step] = await leg.report({ type: "answered" });
  assert.ok(step?.type === "next");
  await leg.report({ type: "next", action: step.action });

  const asked = app.fetched.find(({ url }) => url.endsWith("/done"));
  const form = new URLSearchParams(await asked!.text());
  assert.equal(form.get("DialCallStatus"), "failed");
});

Deno.test("Dial places a child call, and its action gets the outcome", async () => {
  using app = await startApp();
  await client(app, "alice");
  await client(app, "bob");
  app.answers = ({ url }) =>
    url.endsWith("/voice")
      ? xml(
        `<Dial action="done"><Client statusCallback="https://app.test/events">bob</Client></Dial>`,
      )
      : xml("<Hangup/>");
  const sid = await postCall(app);
  const parent = companionOf(app, sid);
  await parent.report(inviting());
  const [dial] = await parent.report({ type: "answered" });
  assert.equal(dial?.type, "dial");
  if (dial?.type !== "dial") return;
  const [invitation] = dial.legs;

  const child = companionOf(app, invitation!.leg);
  await child.report({
    ...inviting("client:bob"),
    parent: sid,
    ...(invitation!.serviceContext === undefined
      ? {}
      : { serviceContext: invitation!.serviceContext }),
  });
  await child.repeat();
  await child.report({ type: "answered" }, { wantsScript: false });
  app.clock.now += 3_000;
  await child.report({ type: "ended", outcome: "completed" });

  const script = await parent.report({
    type: "dialled",
    outcome: "completed",
    leg: invitation!.leg,
    durationS: 3,
    ringS: 0,
    sipStatus: 200,
    action: dial.action!,
  });
  assert.deepEqual(script, [{ type: "hangup" }]);
  const form = new URLSearchParams(await app.fetched.at(-1)!.clone().text());
  assert.deepEqual(
    ["DialCallStatus", "DialCallSid", "DialCallDuration", "DialSipResponseCode"].map((name) =>
      form.get(name)
    ),
    ["completed", invitation!.leg, "3", "200"],
  );
  const record = await callOf(app, invitation!.leg);
  assert.deepEqual(
    [record.parent_call_sid, record.direction, record.status, record.duration, record.to],
    [sid, "outbound-dial", "completed", "3", "client:bob"],
  );
  assert.deepEqual((await callbacks(app)).map((one) => one.get("CallSid")), [invitation!.leg]);
});

Deno.test("the action of a Dial is requested although the caller hung up in it", async () => {
  using app = await startApp();
  await client(app, "alice");
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  await leg.report({ type: "answered" });
  app.fetched.length = 0;
  await leg.report({
    type: "dialled",
    outcome: "canceled",
    leg: sid,
    durationS: 0,
    ringS: 2,
    action: { url: "https://app.test/done", method: "POST", hops: 0 },
  }, { wantsScript: false });
  await app.runJobs();
  const form = new URLSearchParams(await app.fetched[0]!.text());
  assert.equal(form.get("DialCallStatus"), "canceled");
});

const incoming = (uri: string, login = "alice", clientSid = "") =>
  ({ type: "incoming", login, clientSid, uri, sipCallId: "sip-9", headers: {} }) as const;
const inboundLeg = "CA" + "a".repeat(32);

Deno.test("a Client without VoiceUrl is proxied to the Client it dialled", async () => {
  using app = await startApp();
  const alice = await client(app, "alice");
  await client(app, "bob");
  const leg = companionOf(app, inboundLeg);
  const script = await leg.report(incoming("sip:bob@sip.test", "alice", alice.sid));

  assert.deepEqual(script.map(({ type }) => type), ["dial", "hangup"]);
  const [dial] = script;
  if (dial?.type !== "dial") throw new Error("no dial");
  assert.equal(dial.media, "proxied");
  assert.deepEqual(dial.legs[0]?.target, { kind: "client", login: "bob" });
  const call = await callOf(app, inboundLeg);
  assert.deepEqual(
    [call.from, call.to, call.direction, call.status],
    ["client:alice", "client:bob", "inbound", "ringing"],
  );
});

Deno.test("the action of a Dial gets canceled where the caller gave up unanswered", async () => {
  using app = await startApp();
  const alice = await client(app, "alice", { VoiceUrl: "https://app.test/in" });
  await client(app, "bob");
  app.answers = () => xml('<Dial action="/done"><Client>bob</Client></Dial>');
  const leg = companionOf(app, inboundLeg);
  const [dial] = await leg.report(incoming("sip:1@sip.test", "alice", alice.sid));
  if (dial?.type !== "dial") throw new Error("no dial");
  app.fetched.length = 0;
  const { action, legs: [callee] } = dial;
  const times = { durationS: 0, ringS: 2 };
  await leg.report(
    { type: "dialled", outcome: "canceled", leg: callee!.leg, ...times, action: action! },
    { wantsScript: false, hasEnded: true },
  );
  await app.runJobs();
  const form = new URLSearchParams(await app.fetched[0]!.text());
  assert.deepEqual([form.get("CallStatus"), form.get("DialCallStatus")], ["canceled", "canceled"]);
});

Deno.test("a Client's call to an unknown address is refused with 404 and a Notification", async () => {
  using app = await startApp();
  const alice = await client(app, "alice");
  for (const uri of ["sip:nobody@sip.test", "sip:bob@elsewhere.test"]) {
    const leg = companionOf(app, `CA${uri.length.toString(16).padStart(32, "0")}`);
    const [step] = await leg.report(incoming(uri, "alice", alice.sid));
    assert.ok(step?.type === "reject");
    assert.deepEqual([step.status, step.cause], [404, "unreachable"]);
    assert.match(step.text!, /^13224: Cannot route the call: the address has no destination: /);
  }
  assert.equal((await notifications(app)).length, 2);
});

Deno.test("a Client with VoiceUrl gets its markup, answered first; a failing one is refused", async () => {
  using app = await startApp();
  const alice = await client(app, "alice", { VoiceUrl: "https://app.test/in" });
  app.answers = () => xml("<Play>/hi.wav</Play>");
  const leg = companionOf(app, inboundLeg);
  assert.deepEqual(await leg.report(incoming("sip:1234@sip.test", "alice", alice.sid)), [
    { type: "answer" },
    { type: "play", url: "https://app.test/hi.wav", loop: 1 },
    { type: "hangup", cause: "end-of-markup" },
  ]);
  assert.equal((await callOf(app, inboundLeg)).to, "1234");

  for (const [answered, refused] of [[404, 404], [500, 500], [403, 500]]) {
    app.answers = () => new Response(null, { status: answered! });
    const other = companionOf(app, `CA${answered!.toString(16).padStart(32, "b")}`);
    assert.deepEqual(await other.report(incoming("sip:1@sip.test", "alice", alice.sid)), [
      {
        type: "reject",
        status: refused,
        cause: "document-failed",
        text: "11210: Cannot fetch the markup document",
      },
    ]);
  }
});

Deno.test("a Client with an application gets the application's markup", async () => {
  using app = await startApp();
  const form = { FriendlyName: "ivr", RcmlUrl: "https://app.test/ivr" };
  const { sid } = (await app.root.post("Applications.json", form)).json();
  const urls = { VoiceUrl: "https://app.test/ignored", VoiceApplicationSid: sid };
  const alice = await client(app, "alice", urls);
  app.answers = () => xml("<Reject/>");
  const leg = companionOf(app, inboundLeg);
  const script = await leg.report(incoming("sip:1@sip.test", "alice", alice.sid));
  assert.deepEqual(script, [{ type: "reject", status: 603 }]);
  assert.equal(app.fetched[0]?.url, "https://app.test/ivr");
});

Deno.test("Status=canceled ends a call that rings and leaves one in progress alone", async () => {
  using app = await startApp();
  await client(app, "alice");
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  await leg.report({ type: "ringing" });
  app.scripts.length = 0;
  assert.equal((await app.root.post(`Calls/${sid}.json`, { Status: "canceled" })).status, 200);
  await app.runJobs();
  assert.deepEqual(app.scripts, [{ leg: sid, script: [{ type: "hangup" }] }]);

  await leg.report({ type: "answered" });
  app.scripts.length = 0;
  const kept = await app.root.post(`Calls/${sid}.json`, { Status: "canceled" });
  assert.equal(kept.json().status, "in-progress");
  await app.runJobs();
  assert.deepEqual(app.scripts, []);
});

Deno.test("Status=completed ends a call in progress; one that has ended cannot be modified", async () => {
  using app = await startApp();
  await client(app, "alice");
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  await leg.report({ type: "answered" });
  app.scripts.length = 0;
  await app.root.post(`Calls.json/${sid}`, { Status: "completed" });
  await app.runJobs();
  assert.deepEqual(app.scripts, [{ leg: sid, script: [{ type: "hangup" }] }]);

  await leg.report({ type: "ended", outcome: "completed" });
  const refused = await app.root.post(`Calls/${sid}.json`, { Status: "completed" });
  assert.deepEqual([refused.status, refused.json().code], [400, 21220]);
});

Deno.test("a call canceled before any companion had it is never dialled", async () => {
  using app = await startApp();
  await client(app, "alice");
  const form = { From: "me", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = (await app.root.post("Calls.json", form)).json();
  const canceled = await app.root.post(`Calls/${sid}.json`, { Status: "canceled" });
  assert.equal(canceled.json().status, "canceled");
  await app.runJobs();
  assert.deepEqual(app.scripts.map(({ script }) => script[0]?.type), ["hangup"]);
});

Deno.test("a call canceled while a companion takes its order is hung up there afterwards", async () => {
  using app = await startApp();
  await client(app, "alice");
  const form = { From: "me", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = (await app.root.post("Calls.json", form)).json();
  const orders: string[] = [];
  const { run } = app.ports.control;
  app.ports.control.run = async (leg, script, options) => {
    const [step] = script;
    if (step?.type === "invite") await app.root.post(`Calls/${sid}.json`, { Status: "canceled" });
    // The job of the cancellation asks any companion, and may have come before the call was there.
    orders.push(step?.type === "hangup" && !options?.at ? "hangup anywhere" : `${step?.type}`);
    return await run(leg, script, options);
  };

  await app.runJobs();

  assert.deepEqual(orders.filter((order) => order !== "hangup anywhere"), ["invite", "hangup"]);
});

Deno.test("a redirect gives a call in progress the script of its new Url", async () => {
  using app = await startApp();
  await client(app, "alice");
  app.answers = () => xml("<Pause/>");
  const sid = await postCall(app);
  const early = await app.root.post(`Calls/${sid}.json`, { Url: "https://app.test/new" });
  assert.deepEqual([early.status, early.json().code], [400, 21221]);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  await leg.report({ type: "answered" });
  app.scripts.length = 0;
  await app.root.post(`Calls/${sid}.json`, { Url: "https://app.test/new", Method: "GET" });
  await app.runJobs();
  assert.deepEqual(app.scripts, [{
    leg: sid,
    script: [{ type: "silence", seconds: 1 }, { type: "hangup", cause: "end-of-markup" }],
  }]);
  assert.equal(new URL(app.fetched.at(-1)!.url).pathname, "/new");
});

Deno.test("a companion that started again has lost its calls: they are closed, once", async () => {
  using app = await startApp();
  await client(app, "alice");
  const beat = (runId: string) =>
    takeHeartbeat({ companion: { id: "companion", runId }, legs: [], registered: 0 }, app.ports);
  await beat("run");
  const [ringing, answered] = [await postCall(app, allEvents), await postCall(app)];
  for (const sid of [ringing, answered]) await companionOf(app, sid).report(inviting());
  const leg = companionOf(app, answered);
  await leg.report(inviting());
  await leg.report({ type: "answered" });
  app.clock.now += 4_000;

  await beat("run");
  app.clock.now += 60_000; // The companion is silent meanwhile.
  await beat("another run");
  await beat("another run");
  assert.equal((await callOf(app, ringing)).status, "failed");
  const completed = await callOf(app, answered);
  assert.deepEqual([completed.status, completed.duration], ["completed", "4"]);
  const notices = await notifications(app);
  assert.equal(notices.length, 2, "one for each call");
  assert.match(
    notices[0]!,
    /the SIP companion lost it: the last heartbeat of the companion came at 20/,
  );
  assert.deepEqual(
    (await callbacks(app)).map((form) => form.get("CallStatus")),
    ["initiated", "failed"],
  );
});

Deno.test("a companion that is not heard of for long has its calls closed", async () => {
  using app = await startApp();
  await client(app, "alice");
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  const sid = await postCall(app);
  await companionOf(app, sid).report(inviting());
  app.clock.now += limits.companionLostMs;
  await closeLostCompanions(app.ports);
  assert.equal((await callOf(app, sid)).status, "queued");
  app.clock.now += 1;
  await closeLostCompanions(app.ports);
  assert.equal((await callOf(app, sid)).status, "failed");
  const [lost] = (await app.root.get(`Calls/${sid}/Notifications.json`)).json().notifications;
  assert.match(lost.request_id, /^[0-9a-f-]{36}$/, "the request that placed the call");
});

Deno.test("a heartbeat closes a call it has forgotten, and ends a leg whose call is over", async () => {
  using app = await startApp();
  await client(app, "alice");
  const sid = await postCall(app);
  await companionOf(app, sid).report(inviting());
  const legs = [{ leg: sid, accountSid: app.root.sid }];
  app.clock.now += limits.legForgottenMs + 1;
  await takeHeartbeat({ companion, legs, registered: 0 }, app.ports);
  assert.equal((await callOf(app, sid)).status, "queued", "it is named");
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  assert.equal((await callOf(app, sid)).status, "failed");

  app.scripts.length = 0;
  await takeHeartbeat({ companion, legs, registered: 0 }, app.ports);
  assert.deepEqual(app.scripts, [{ leg: sid, script: [{ type: "hangup" }] }]);
});

Deno.test("a report about a call that has ended is answered with a hang-up", async () => {
  using app = await startApp();
  await client(app, "alice");
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report({ type: "ended", outcome: "failed" });
  assert.deepEqual(await leg.report({ type: "answered" }), [{ type: "hangup" }]);
  const unknown = companionOf(app, "CA" + "d".repeat(32));
  assert.deepEqual(await unknown.report({ type: "answered" }), [{ type: "hangup" }]);
});

Deno.test("audio that cannot be played is one Notification, however often it is reported", async () => {
  using app = await startApp();
  await client(app, "alice");
  const leg = companionOf(app, await postCall(app));
  await leg.report(inviting());
  await leg.report({ type: "problem", url: "https://app.test/x.wav", message: "it is no WAV" });
  await leg.repeat();
  assert.deepEqual(await notifications(app), ["Cannot play the audio: it is no WAV"]);
});

Deno.test("a callback is tried again after 5xx, warned about after 4xx", async () => {
  using app = await startApp();
  await client(app, "alice");
  const statuses = [500, 503, 200];
  app.answers = () => new Response(null, { status: statuses.shift() ?? 200 });
  const sid = await postCall(app, {
    To: "client:nobody",
    StatusCallback: "https://app.test/events",
  });
  for (let i = 0; i < 3; i++) {
    app.clock.now += 60_000;
    await app.runJobs();
  }
  const ids = app.fetched.map(({ headers }) => headers.get("x-switchboard-delivery"));
  assert.equal(ids.length, 3);
  assert.equal(new Set(ids).size, 1, "every attempt is the same delivery");

  app.answers = () => new Response("gone", { status: 410 });
  await postCall(app, { To: "client:nobody", StatusCallback: "https://app.test/events" });
  await app.runJobs();
  const warned = (await notifications(app)).filter((text) => text.includes("callback"));
  assert.deepEqual(warned, ["Cannot deliver a status callback: the server answered 410"]);
  assert.ok(sid);
});

Deno.test("a Dial without a callee that repeats itself ends the call", async () => {
  using app = await startApp();
  await client(app, "alice");
  app.answers = () => xml(`<Dial action="again"><Client>bob</Client></Dial>`);
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  let [step] = await leg.report({ type: "answered" });
  let documents = 1;
  while (step?.type === "dial" && documents < 1_000) {
    const failed = { type: "dialled", outcome: "failed", durationS: 0, ringS: 0 } as const;
    [step] = await leg.report({ ...failed, leg: step.legs[0]!.leg, action: step.action! });
    documents++;
  }
  assert.deepEqual(step, { type: "hangup", cause: "document-failed" });
  assert.equal(documents, limits.documentHops + 2);
});

Deno.test("the action of an abandoned Dial is requested once, however often it is reported", async () => {
  using app = await startApp();
  await client(app, "alice");
  const leg = companionOf(app, await postCall(app));
  await leg.report(inviting());
  const action = { url: "https://app.test/done", method: "POST", hops: 0 } as const;
  const canceled = {
    type: "dialled",
    outcome: "canceled",
    durationS: 0,
    ringS: 2,
    action,
  } as const;
  await leg.report({ ...canceled, leg: inboundLeg }, { wantsScript: false });
  await leg.repeat();
  await app.runJobs();
  assert.equal(app.fetched.length, 1);
});

Deno.test("texts of a phone of any length still make a call that ends", async () => {
  using app = await startApp();
  const alice = await client(app, "alice");
  const leg = companionOf(app, inboundLeg);
  const long = "a".repeat(3_000);
  const event = { ...incoming(`sip:${long}@sip.test`, "alice", alice.sid), displayName: long };
  const [step] = await leg.report(event);
  assert.ok(step?.type === "reject");
  assert.deepEqual([step.status, step.cause], [404, "unreachable"]);
  assert.ok(step.text!.length <= 500);
  await leg.report({
    type: "problem",
    url: `https://app.test/${"x".repeat(70_000)}`,
    message: long,
  });
  await leg.report({ type: "ended", outcome: "failed" });
  assert.equal((await callOf(app, inboundLeg)).status, "failed");
});

Deno.test("an address of markup that is too long is skipped, and the call goes on", async () => {
  using app = await startApp();
  await client(app, "alice");
  app.answers = () => xml(`<Dial action="/x?${"A".repeat(60_000)}"><Client>bob</Client></Dial>`);
  const sid = await postCall(app);
  const leg = companionOf(app, sid);
  await leg.report(inviting());
  const [dial] = await leg.report({ type: "answered" });
  assert.equal(dial?.type === "dial" && dial.action, undefined);
});

Deno.test("a port that is none is refused: of a SIP address that is called, and of a Gateway", async () => {
  using app = await startApp();
  for (const port of ["0", "65536", "99999"]) {
    const to = `sip:bob@pbx.example.com:${port}`;
    const call = await app.root.post("Calls.json", {
      From: "+12025550143",
      To: to,
      Url: "https://a.test/",
    });
    assert.equal(call.status, 400, port);
    assert.equal(call.json().code, 21211);
    const gateway = {
      FriendlyName: "g",
      UserName: "u",
      Password: "p",
      Proxy: `pbx.example.com:${port}`,
    };
    const answer = await app.root.post("Management/Gateways.json", gateway);
    assert.equal(answer.status, 400, port);
    assert.match(answer.json().message, /Proxy must have a port from 1 to 65535/);
  }
});
