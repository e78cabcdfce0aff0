import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  actionOf,
  calledFlow,
  flowApplication,
  flowOf,
  nextOf,
} from "../support/service/flow_lab.ts";
import { flowTemplates } from "../../core/trials/flow_templates.ts";
import { callCentre } from "../support/service/flow_samples.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { companionOf, made, notifications } from "../support/service/hand_companion.ts";

type Script = Awaited<ReturnType<typeof calledFlow>>["script"];

const said = (script: Script) => script.flatMap((step) => step.type === "say" ? [step.text] : []);
const types = (script: Script) => script.map(({ type }) => type);

const gathered = (script: Script, digits: string): LegEvent => ({
  type: "gathered",
  digits,
  action: actionOf(script),
});

const customer = () => Response.json({ customer: { name: "Ann", agents: ["alice"] } });

/** A call to the flow of the example whose caller typed a customer number. */
async function lookedUp(app: App) {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  app.answers = customer;
  const called = await calledFlow(app, callCentre);
  await called.leg.report({ type: "answered" }, { wantsScript: false });
  const script = await called.leg.report(gathered(called.script, "1234"));
  return { ...called, connecting: script };
}

Deno.test("a flow reads input, looks up, greets and connects, without an application server", async () => {
  using app = await startApp();
  const { script, connecting, leg, callSid } = await lookedUp(app);

  assert.deepEqual(types(script), ["answer", "gather", "next"]);
  assert.deepEqual(
    app.fetched.map(({ method, url }) => `${method} ${url}`),
    ["GET https://crm.test/customers/1234?caller=%2B12025550199"],
  );
  assert.deepEqual(said(connecting), ["Hello Ann"]);
  const dial = connecting.find((step) => step.type === "dial");
  assert.deepEqual([dial?.legs[0]?.to, dial?.timeoutS], ["client:alice", 20]);

  const failed = {
    outcome: "no-answer",
    leg: dial!.legs[0]!.leg,
    durationS: 0,
    ringS: 20,
  } as const;
  const script2 = await leg.report({ type: "dialled", ...failed, action: dial!.action! });
  assert.deepEqual(types(script2), ["record", "next"]);
  const none = await leg.report({ type: "next", action: nextOf(script2) });
  assert.deepEqual(types(none), ["note", "hangup"]);
  const [note] = none;
  assert.ok(note?.type === "note");
  assert.deepEqual(
    [note.serviceContext.to, note.serviceContext.subject, note.serviceContext.body],
    ["alice@app.test", "A message of Ann", ""],
  );
  assert.equal((await app.root.get(`Calls/${callSid}.json`)).json().status, "in-progress");
  assert.deepEqual(await notifications(app), []);
});

for (
  const [date, says] of [
    ["2026-11-27T08:30:00Z", []], // Friday, 9.30 in Berlin: it rings.
    ["2026-11-27T16:30:00Z", ["closed"]],
    ["2026-11-27T07:30:00Z", ["closed"]],
    ["2026-11-28T10:00:00Z", ["closed"]],
  ] as const
) {
  Deno.test(`the template of opening hours ${says.length > 0 ? "closes" : "rings"} at ${date}`, async () => {
    using app = await startApp();
    await made(app.root, "Clients", { Login: "alice", Password: "secret" });
    app.clock.now = Date.parse(date);
    const { flow } = flowTemplates.find(({ id }) => id === "opening-hours")!;
    const { script } = await calledFlow(app, flow);
    const isOpen = script.some(({ type }) => type === "dial");
    const isClosed = said(script).some((text) => /We are open from Monday/.test(text));
    assert.deepEqual([isOpen, isClosed], [says.length === 0, says.length > 0]);
  });
}

Deno.test("a report that comes again, or to another instance, goes on alike", async () => {
  await using endpoint = startKvConnect();
  const location = endpoint.url;
  using app = await startApp({ shared: { location, instance: 0 } });
  const { leg, connecting } = await lookedUp(app);
  const callees = (script: Script) =>
    script.flatMap((step) => step.type === "dial" ? step.legs.map(({ to }) => to) : []);
  const again = await leg.repeat();
  assert.deepEqual([said(again), callees(again)], [said(connecting), callees(connecting)]);

  const action = actionOf(connecting);
  assert.match(action.url, /^flow:AP[0-9a-f]{32}\/connect\/done\?/);
  using other = await startApp({ shared: { location, instance: 1 } });
  const [call] = (await app.root.get("Calls.json")).json().calls;
  const failed = { outcome: "busy", leg: `CA${"1".repeat(32)}`, durationS: 0, ringS: 1 } as const;
  const later = companionOf(other, call.sid, app.root.sid);
  const script = await later.report({ type: "dialled", ...failed, action }, { seq: 9 });
  assert.deepEqual(types(script), ["record", "next"]);
});

Deno.test("the remote error handler of a flow runs, with one Notification", async () => {
  using app = await startApp();
  app.answers = () => new Response("gone", { status: 410 });
  const { leg, script } = await calledFlow(app, callCentre);
  await leg.report({ type: "answered" }, { wantsScript: false });

  const next = await leg.report(gathered(script, "1234"));
  await leg.repeat();

  assert.deepEqual(said(next), ["We cannot find you: 410"]);
  assert.deepEqual(types(next), ["say", "hangup"]);
  assert.deepEqual(await notifications(app), [
    'Cannot use the response of an external service: step "lookUp": it answered 410',
  ]);
});

Deno.test("input of a caller who hung up is still sent by the flow, once", async () => {
  using app = await startApp();
  const flow = flowOf({
    message: { type: "record", next: "tell" },
    tell: {
      type: "externalService",
      url: "https://crm.test/messages",
      method: "POST",
      parameters: [{ name: "seconds", value: "$RecordingDuration" }],
      next: "mail",
    },
    mail: {
      type: "email",
      from: "a@app.test",
      to: "b@app.test",
      subject: "from $From",
      text: "$RecordingUrl",
      next: "thanks",
    },
    thanks: { type: "say", text: "thanks" },
  });
  const { leg, script } = await calledFlow(app, flow);
  await leg.report({ type: "answered" }, { wantsScript: false });
  const [, record] = script;
  assert.ok(record?.type === "record");
  const recording = { sid: record.recording.sid, durationS: 3 };
  const event = { type: "recorded", recording, digits: "hangup", action: record.action! } as const;

  await leg.report(event, { wantsScript: false });
  await leg.repeat();
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();

  assert.deepEqual(app.fetched.map(({ url }) => url), ["https://crm.test/messages"]);
  assert.equal(await app.fetched[0]!.clone().text(), "seconds=3");
  assert.deepEqual(app.mailed.map(({ to, subject }) => [to, subject]), [
    ["b@app.test", "from +12025550199"],
  ]);
  assert.match(app.mailed[0]!.body, /\/Recordings\/RE/);
  assert.deepEqual(await notifications(app), []);
});

const loops: Record<string, { steps: Record<string, unknown>; documents: number }> = {
  "control": { steps: { a: { type: "control", next: "a" } }, documents: 1 },
  "externalService": {
    steps: { a: { type: "externalService", url: "https://app.test/", next: "a" } },
    documents: limits.documentHops + 2,
  },
  "sms": {
    steps: { a: { type: "sms", to: "+12025550111", text: "x", next: "a" } },
    documents: limits.documentHops + 2,
  },
  "a text that is empty": {
    steps: { a: { type: "say", text: "$Digits", next: "a" } },
    documents: limits.documentHops + 2,
  },
};

for (const [what, { steps, documents }] of Object.entries(loops)) {
  Deno.test(`a flow whose steps take no time ends: ${what}`, async () => {
    using app = await startApp();
    let { leg, script } = await calledFlow(app, flowOf(steps));
    let count = 1;
    await leg.report({ type: "answered" }, { wantsScript: false });
    // As the companion does: steps that take no time are done at once.
    for (; count < 100; count++) {
      const step = script.find((one) => "action" in one && one.action);
      if (step?.type === "note") {
        script = await leg.report({
          type: "noted",
          serviceContext: step.serviceContext,
          action: step.action!,
        });
      } else if (step?.type === "next") script = await leg.report(step);
      else break;
    }
    const end = documents === 1 ? "reject" : "hangup";
    assert.deepEqual([count, types(script)], [documents, [end]]);
    const told = await notifications(app);
    const loop = told.filter((text) => /^Cannot continue: the documents redirect/.test(text));
    assert.equal(loop.length, 1, told.join("\n"));
  });
}

Deno.test("a flow that is cleared or changed under a call ends it, and names the missing step", async () => {
  using app = await startApp();
  const { leg, script, applicationSid } = await calledFlow(app, callCentre);
  await leg.report({ type: "answered" }, { wantsScript: false });
  const { ask, bye } = callCentre.steps;
  const Flow = JSON.stringify({
    start: "ask",
    steps: { ask: { ...ask, branches: undefined, next: "bye" }, bye },
  });
  await app.root.post(`Applications/${applicationSid}.json`, {
    Flow: Flow.replaceAll("ask", "asked"),
  });

  assert.deepEqual(types(await leg.report(gathered(script, "1"))), ["hangup"]);
  await app.root.post(`Applications/${applicationSid}.json`, { Flow: "" });
  assert.deepEqual(types(await leg.report(gathered(script, "1"))), ["hangup"]);

  assert.deepEqual((await notifications(app)).toReversed(), [
    'Cannot continue the flow: it has no step "ask" any more',
    `Cannot continue the flow: the application ${applicationSid} has none any more`,
  ]);
});

Deno.test("a Flow fits the Kind of its application, whichever of the two is changed", async () => {
  using app = await startApp();
  const say = JSON.stringify(flowOf({ a: { type: "say", text: "x" } }));
  const wrong = 'Cannot use a parameter: Flow step "a": type: say is none of those of Kind sms: ' +
    "sms, email, externalService, control, redirect, hangup";
  const sms = await made(app.root, "Applications", { FriendlyName: "x", Kind: "sms" });
  const voice = await made(app.root, "Applications", { FriendlyName: "x", Flow: say });

  for (
    const answer of [
      await app.root.post("Applications.json", { FriendlyName: "x", Kind: "sms", Flow: say }),
      await app.root.post(`Applications/${sms.sid}.json`, { Flow: say }),
      await app.root.post(`Applications/${voice.sid}.json`, { Kind: "sms" }),
    ]
  ) {
    assert.equal(answer.status, 400);
    assert.equal(answer.json().message.replace(/^.*?: /, "Cannot use a parameter: "), wrong);
  }
  assert.equal((await app.root.get(`Applications/${voice.sid}.json`)).json().flow, say);
});

Deno.test("a Flow of the greatest length is stored, and goes when it is cleared", async () => {
  using app = await startApp();
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const short = JSON.stringify(flowOf({ a: { type: "say", text: '語"'.repeat(1_500) } }));
  const Flow = short + " ".repeat(limits.flowBytes - bytes(short));
  const RcmlUrl = "https://app.test/".padEnd(limits.urlLength, "x");
  const form = { FriendlyName: "語".repeat(64), RcmlUrl, Flow };
  assert.equal(bytes(Flow), limits.flowBytes);

  const { sid, flow } = await made(app.root, "Applications", form);
  assert.equal(flow, Flow);
  const cleared = await app.root.post(`Applications/${sid}.json`, { Flow: "" });

  assert.equal(cleared.json().flow, null);
});

Deno.test("a message to a number with a flow is answered by it", async () => {
  using app = await startApp();
  app.answers = () => Response.json({ order: { state: "on its way" } });
  const flow = flowOf({
    ask: {
      type: "externalService",
      url: "https://shop.test/orders",
      parameters: [{ name: "id", value: "$Body" }],
      extract: { state: "order.state" },
      next: "reply",
    },
    reply: { type: "sms", text: "It is $state", next: "mail" },
    mail: {
      type: "email",
      from: "a@app.test",
      to: "b@app.test",
      subject: "asked",
      text: "$SmsStatus",
      next: "end",
    },
    end: { type: "hangup" },
  });
  const { sid: SmsApplicationSid } = await flowApplication(app, flow, "sms");
  const number = "+14155550150";
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: number, SmsApplicationSid });
  const other = "+14155550151";
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: other });

  await made(app.root, "SMS/Messages", { From: other, To: number, Body: "A 17" });
  await app.runJobs();

  assert.equal(app.fetched[0]!.url, "https://shop.test/orders?id=A+17");
  const { messages } = (await app.root.get("SMS/Messages.json")).json();
  const reply = messages.find(({ body }: { body: string }) => body === "It is on its way");
  assert.deepEqual([reply?.from, reply?.to], [number, other]);
  assert.deepEqual(app.mailed.map(({ body }) => body), ["sending"]);
});

Deno.test("a Client uses a flow where it uses an application", async () => {
  using app = await startApp();
  const flow = flowOf({ a: { type: "say", text: "Hello $From" } });
  const { sid: VoiceApplicationSid } = await flowApplication(app, flow);
  const form = { Login: "bob", Password: "secret", VoiceApplicationSid };
  const { sid: clientSid } = await made(app.root, "Clients", form);
  const leg = companionOf(app, app.ports.newSid("CA"));

  const script = await leg.report({
    type: "incoming",
    login: "bob",
    clientSid,
    uri: "sip:anybody@sip.test",
    sipCallId: "sip-1",
    headers: {},
  });

  assert.deepEqual(said(script), ["Hello client:bob"]);
});
