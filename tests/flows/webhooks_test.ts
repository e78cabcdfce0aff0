import assert from "node:assert/strict";
import type { ConversedEvent } from "../../core/protocol/streams.ts";
import type { LegEvent } from "../../core/protocol/events.ts";
import type { Script } from "../../core/protocol/script.ts";
import { takePart } from "../../core/recordings/take_part.ts";
import { type App, type AppOptions, startApp } from "../support/service/app.ts";
import { companion, companionOf, made, xml } from "../support/service/hand_companion.ts";
import { document } from "../support/service/openapi.ts";
import { assertWebhook, formOf, ownParameters } from "../support/service/webhook_forms.ts";

/**
 * Each webhook of the OpenAPI document, compared with the requests that the service sends. The path
 * of every URL that these tests give to the service is the name of the webhook.
 */

const at = (webhook: string) => `https://app.test/${webhook}`;
const number = "+12025550143";
const subscriber = "+12025550199";
const leg = (digit: string) => `CA${digit.repeat(32)}`;

type StepOf<T extends Script[number]["type"]> = Extract<Script[number], { type: T }>;

/** The first step of a type. */
function step<T extends Script[number]["type"]>(script: Script, type: T): StepOf<T> {
  const found = script.find((one): one is StepOf<T> => one.type === type);
  assert.ok(found !== undefined, Deno.inspect(script));
  return found;
}

const numberOf = (app: App, form: Record<string, string>, PhoneNumber = number) =>
  made(app.root, "IncomingPhoneNumbers", { PhoneNumber, isSIP: "true", ...form });

/** A call from a trunk to a number, whose first document is `markup`; answered. */
async function called(app: App, markup: string, form: Record<string, string> = {}) {
  app.answers = ({ url }) => url === at("voice") ? xml(markup) : xml("<Pause/>");
  const { sid: numberSid } = await numberOf(app, { VoiceUrl: at("voice"), ...form });
  return await incoming(app, numberSid);
}

async function incoming(app: App, numberSid: string, digit = "a") {
  const hand = companionOf(app, leg(digit));
  const script = await hand.report({
    type: "incomingNumber",
    numberSid,
    dialled: number,
    from: { user: subscriber, host: "carrier.test" },
    displayName: "Ann",
    forwardedFrom: "+12025550100",
    hops: 0,
    sipCallId: "sip-a",
    headers: { "X-Ticket": "7", "user-to-user": "00ff" },
  });
  await hand.report({ type: "answered" }, { wantsScript: false });
  return { hand, script, sid: leg(digit) };
}

/** The leg that a Dial places. */
async function dialled(app: App, parent: string, script: Script) {
  const [invitation] = step(script, "dial").legs;
  assert.ok(invitation !== undefined);
  const { leg: sid, from, to, serviceContext } = invitation;
  const child = companionOf(app, sid);
  const context = serviceContext && { serviceContext };
  await child.report({ type: "inviting", parent, from, to, sipCallId: "sip-b", ...context });
  return { sid, child };
}

/** Creates a resource by the interface of Twilio's libraries. */
async function twilioMade(app: App, path: string, form: Record<string, string>) {
  const base = `/2010-04-01/Accounts/${app.root.sid}`;
  const answer = await app.root.post(`${base}/${path}.json`, form);
  assert.ok(answer.status < 300, answer.text);
  return answer.json();
}

const bob = (app: App) => made(app.root, "Clients", { Login: "bob", Password: "secret" });

/** Replies to a step of a script with an event, with the action of the step. */
const actionOf = (script: Script, type: Script[number]["type"]) => {
  const { action } = step(script, type) as { action?: { url: string } };
  assert.ok(action !== undefined, Deno.inspect(script));
  return { action } as { action: Extract<LegEvent, { type: "next" }>["action"] };
};

/** A flow that makes the service send these webhooks, with each of their own parameters. */
interface Flow {
  webhooks: string[];
  options?: AppOptions;
  run(app: App): Promise<unknown>;
}

const recording = { sid: `RE${"1".repeat(32)}`, durationS: 4 };
const sipResult = { sipStatus: 486, sipCallId: "sip-b", headers: { "X-Reason": "lunch" } };
const locations = ["mcc=748,lac=10100,mnc=01,aol=3,cellid=20042,vlrNumber=59800423432", "nothing"];
const geofence = {
  EventGeofenceLatitude: "-33.4",
  EventGeofenceLongitude: "-70.5",
  GeofenceRange: "300",
  GeofenceEvent: "in",
};

const flows: Flow[] = [
  {
    webhooks: ["voice", "voiceFallback", "redirect", "gatherAction", "partialSpeech"],
    async run(app) {
      const { sid } = await numberOf(app, {
        VoiceUrl: at("voice"),
        VoiceFallbackUrl: at("voiceFallback"),
      });
      app.answers = ({ url }) => {
        if (url === at("voice")) return new Response("", { status: 500 });
        if (url === at("redirect")) {
          const speech = `input="dtmf speech" partialResultCallback="${at("partialSpeech")}"`;
          return xml(`<Gather action="${at("gatherAction")}" ${speech}/>`);
        }
        return xml(`<Redirect>${at("redirect")}</Redirect>`);
      };
      const { hand, script } = await incoming(app, sid);
      const { action } = step(script, "next");
      const listening = await hand.report({ type: "next", action });
      const callback = step(listening, "gather").speech?.partials;
      assert.ok(callback !== undefined);
      const heard = { text: "yes", confidence: 0.5 };
      await hand.report({ type: "partial", ...heard, number: 0, callback });
      const gathered = actionOf(listening, "gather");
      await hand.report({ type: "gathered", digits: "1", ...gathered });
      await hand.report({ type: "gathered", digits: "", speech: heard, ...gathered });
    },
  },
  {
    webhooks: ["recordAction", "recordingStatus", "transcription"],
    options: { ports: { transcriber: { transcribe: () => Promise.resolve("hello") } } },
    async run(app) {
      const callbacks = `recordingStatusCallback="${at("recordingStatus")}"
        transcribeCallback="${at("transcription")}"`;
      const { hand, script, sid } = await called(
        app,
        `<Record action="${at("recordAction")}" ${callbacks}/>`,
      );
      const { recording } = step(script, "record");
      const data = new Uint8Array(16_000).toBase64();
      await takePart({ recording, leg: sid, channels: 1, at: 0, data, end: "whole" }, app.ports);
      await hand.report({
        type: "recorded",
        recording: { sid: recording.sid, durationS: 1 },
        digits: "#",
        ...actionOf(script, "record"),
      });
    },
  },
  {
    webhooks: ["machineDetection", "conferenceAnnouncement", "recordingStatus"],
    async run(app) {
      await bob(app);
      const { sid } = await twilioMade(app, "Calls", {
        From: "client:bob",
        To: "client:bob",
        Twiml: `<Response><Dial><Conference record="true" recordingStatusCallback="${
          at("recordingStatus")
        }">Room</Conference></Dial></Response>`,
        MachineDetection: "Enable",
        AsyncAmd: "true",
        AsyncAmdStatusCallback: at("machineDetection"),
      });
      await app.runJobs();
      const hand = companionOf(app, sid);
      const { serviceContext } = step(await hand.report({ type: "answered" }), "consult");
      const callback = { url: at("machineDetection"), method: "POST" } as const;
      const detected = {
        type: "detected",
        answeredBy: "machine",
        durationMs: 9,
        callback,
      } as const;
      await hand.report(detected, { wantsScript: false });
      const room = step(await hand.report({ type: "consulting", serviceContext }), "conference");
      const { conferenceSid, muted, startOnEnter, endOnExit } = room;
      await hand.report({ type: "joined", conferenceSid, muted, startOnEnter, endOnExit });
      const data = new Uint8Array(16_000).toBase64();
      const audio = { channels: 1, at: 0, data, end: "whole" } as const;
      await takePart({ recording: room.record!, leg: sid, ...audio }, app.ports);
      await twilioMade(app, `Conferences/${conferenceSid}`, {
        AnnounceUrl: at("conferenceAnnouncement"),
      });
    },
  },
  {
    webhooks: ["callStatus"],
    async run(app) {
      const outboundProxy = { proxy: "edge.carrier.test", credentials: null };
      Object.assign(app.ports.settings.trunks, { outboundProxy });
      await numberOf(app, {});
      const { validation_code: digits, call_sid: sid } = await twilioMade(
        app,
        "OutgoingCallerIds",
        {
          PhoneNumber: subscriber,
          StatusCallback: at("callStatus"),
        },
      );
      await app.runJobs();
      const hand = companionOf(app, sid);
      const { action } = actionOf(await hand.report({ type: "answered" }), "gather");
      await hand.report({ type: "gathered", digits, action });
      await hand.report({ type: "ended", outcome: "completed" });
    },
  },
  {
    webhooks: ["usageTrigger"],
    run: (app) =>
      twilioMade(app, "Usage/Triggers", {
        UsageCategory: "sms",
        TriggerValue: "0",
        CallbackUrl: at("usageTrigger"),
      }),
  },
  {
    webhooks: ["dialAction", "dialScreening", "callStatus"],
    async run(app) {
      await bob(app);
      const events = 'statusCallbackEvent="initiated ringing answered completed"';
      const { hand, script, sid } = await called(
        app,
        `<Dial action="${at("dialAction")}"><Client url="${at("dialScreening")}"
          statusCallback="${at("callStatus")}" ${events}>bob</Client></Dial>`,
        { StatusCallback: at("callStatus") },
      );
      const { sid: child, child: callee } = await dialled(app, sid, script);
      await callee.report({ type: "ringing" });
      await callee.report({ type: "answered" });
      await callee.report({ type: "ended", outcome: "completed" });
      const ended = { type: "dialled", leg: child, durationS: 3, ringS: 1, recording } as const;
      const action = actionOf(script, "dial");
      await hand.report({ ...ended, outcome: "completed", ...sipResult, ...action });
      await hand.report({ type: "ended", outcome: "completed" });
    },
  },
  {
    webhooks: ["dialAction", "conferenceStatus", "enqueueWait"],
    async run(app) {
      const { hand, script } = await called(
        app,
        `<Dial action="${at("dialAction")}"><Conference waitUrl="${at("enqueueWait")}"
          statusCallback="${at("conferenceStatus")}" endConferenceOnExit="true"
          statusCallbackEvent="start end join leave mute hold">lobby</Conference></Dial>`,
      );
      const { serviceContext, action } = step(script, "consult");
      const steps = await hand.report({
        type: "consulting",
        serviceContext,
        ...action && { action },
      });
      const { conferenceSid, wait, ...joined } = step(steps, "conference");
      const { muted, startOnEnter, endOnExit } = joined;
      const joining = { conferenceSid, muted, startOnEnter, endOnExit };
      await hand.report({ type: "joined", ...joining });
      assert.ok(wait);
      await hand.report({ type: "waiting", action: wait });
      const left = { type: "left", conferenceSid, outcome: "completed", durationS: 7 } as const;
      await hand.report({ ...left, recording, ...actionOf(steps, "conference") });
    },
  },
  {
    webhooks: ["enqueueAction", "enqueueWait"],
    async run(app) {
      const { hand, script } = await called(
        app,
        `<Enqueue action="${at("enqueueAction")}" waitUrl="${at("enqueueWait")}">help</Enqueue>`,
      );
      const { serviceContext, action } = step(script, "consult");
      const steps = await hand.report({
        type: "consulting",
        serviceContext,
        ...action && { action },
      });
      const { queueSid, wait } = step(steps, "queue");
      assert.ok(wait);
      await hand.report({ type: "queued", queueSid });
      const speech = { text: "agent", confidence: 1 };
      const gathered = { digits: "1", speech };
      await hand.report({ type: "waiting", action: wait, queueSid, gathered });
      const dequeued = { type: "dequeued", queueSid, result: "leave", waitedS: 3 } as const;
      await hand.report({ ...dequeued, ...actionOf(steps, "queue") });
    },
  },
  {
    webhooks: ["enqueueAction"],
    async run(app) {
      const { hand, script } = await called(
        app,
        `<Enqueue action="${at("enqueueAction")}">${"x".repeat(65)}</Enqueue>`,
      );
      const { action } = step(script, "next");
      await hand.report({ type: "next", action });
    },
  },
  {
    webhooks: ["sendAction"],
    async run(app) {
      const geolocation = `<Geolocation statusCallback="${at("geolocation")}"`;
      const verbs = [
        `<Sms to="${subscriber}" from="${number}"`,
        `<Sms to="nobody" from="${number}"`,
        geolocation,
      ];
      for (const [index, verb] of verbs.entries()) {
        const markup = `${verb} action="${at("sendAction")}">text</${verb.match(/\w+/)![0]}>`;
        const PhoneNumber = `+1202555020${index}`;
        const VoiceUrl = at("voice");
        app.answers = ({ url }) => url === at("voice") ? xml(markup) : xml("<Pause/>");
        const { sid } = await numberOf(app, { VoiceUrl }, PhoneNumber);
        const { hand, script } = await incoming(app, sid, String(index));
        const { serviceContext, action } = step(script, "note");
        await hand.report({ type: "noted", serviceContext, ...action && { action } });
      }
    },
  },
  {
    webhooks: ["referAction"],
    async run(app) {
      await bob(app);
      const { hand, script } = await called(
        app,
        `<Refer action="${at("referAction")}"><Sip>sip:bob@sip.test</Sip></Refer>`,
      );
      const referred = { type: "referred", to: "sip:bob@sip.test", sipStatus: 486 } as const;
      await hand.report({ ...referred, outcome: "busy", ...actionOf(script, "refer") });
    },
  },
  {
    webhooks: ["refer", "redirect"],
    async run(app) {
      await bob(app);
      const { script, sid } = await called(app, "<Dial><Client>bob</Client></Dial>", {
        ReferUrl: at("refer"),
      });
      const { child } = await dialled(app, sid, script);
      await child.report({ type: "answered" }, { wantsScript: false });
      const refer = { type: "refer", other: sid, to: "sip:carol@sip.test" } as const;
      await child.report({ ...refer, by: "sip:bob@sip.test", headers: {} });
      await made(app.root, `Calls/${sid}`, { Url: at("redirect"), MoveConnectedCallLeg: "true" });
    },
  },
  {
    webhooks: ["ussd"],
    async run(app) {
      app.answers = () =>
        xml(`<UssdCollect action="${at("ussd")}"><UssdMessage>1 or 2?</UssdMessage></UssdCollect>`);
      const { sid: numberSid } = await numberOf(app, { UssdUrl: at("ussd") }, "*135#");
      const hand = companionOf(app, leg("a"));
      const script = await hand.report({
        type: "incomingNumber",
        numberSid,
        dialled: "*135#",
        from: { user: subscriber, host: "carrier.test" },
        hops: 0,
        sipCallId: "ussd-1",
        headers: {},
        ussd: { text: "*135#" },
      });
      await hand.report({ type: "answered" }, { wantsScript: false });
      await hand.report({ type: "collected", text: "2", ...actionOf(script, "ussd") });
    },
  },
  {
    webhooks: ["sms", "messageStatus"],
    async run(app) {
      const sms = `<Sms action="${at("sms")}?2" statusCallback="${at("messageStatus")}">1</Sms>`;
      app.answers = ({ url }) => {
        if (url === at("sms")) return new Response("", { status: 500 });
        if (url.endsWith("?3")) return xml(`<Message action="${at("sms")}?2">2</Message>`);
        return xml(url.endsWith("?1") ? sms : "");
      };
      await numberOf(app, { SmsUrl: at("sms"), SmsFallbackUrl: `${at("sms")}?1` });
      const twilios = { SmsUrl: `${at("sms")}?3`, ApiVersion: "2010-04-01" };
      await numberOf(app, twilios, "+14155550177");
      await made(app.root, "SMS/Messages", { From: subscriber, To: "+14155550177", Body: "hi" });
      const form = { From: subscriber, To: number, Body: "hello" };
      await made(app.root, "SMS/Messages", { ...form, StatusCallback: at("messageStatus") });
    },
  },
  {
    webhooks: ["streamStatus", "connectAction"],
    async run(app) {
      const stream = `url="wss://agent.test/audio" name="a" statusCallback="${at("streamStatus")}"`;
      const { hand, script } = await called(
        app,
        `<Connect action="${at("connectAction")}"><Stream ${stream}/></Connect>`,
      );
      const { serviceContext, action } = step(script, "consult");
      const context = serviceContext && { serviceContext };
      const found = await hand.report({ type: "consulting", ...context, ...action && { action } });
      const { stream: { sid }, action: after } = step(found, "stream");
      assert.ok(after !== undefined);
      const message = "The server refused the connection";
      const end = { how: "failed", fault: "unreachable", message, lostFrames: 0 } as const;
      await hand.report({ type: "stream", sid, seq: 0, news: { kind: "ended", ...end } });
      await hand.report({ type: "streamed", sid, action: after });
    },
  },
  conversation({ how: "ended", handoffData: "sales" }),
  conversation({ how: "failed", fault: "unreachable", message: "the connection broke off" }),
  {
    webhooks: ["geolocation"],
    options: { ports: { locationSource: { lookUp: () => Promise.resolve(locations[0]!) } } },
    async run(app) {
      const form = { DeviceIdentifier: "+59899077937", StatusCallback: at("geolocation") };
      await made(app.root, "Geolocation/Immediate", form);
      await made(app.root, "Geolocation/Notification", { ...form, ...geofence });
      await app.runJobs();
      Object.assign(app.ports, { locationSource: null });
      await made(app.root, "Geolocation/Immediate", form);
    },
  },
];

/** A conversation by text, and how it ends. */
function conversation(end: Pick<ConversedEvent, "how"> & Partial<ConversedEvent>): Flow {
  const relay = '<ConversationRelay url="wss://agent.test/relay"/>';
  return {
    webhooks: ["connectAction"],
    async run(app) {
      const markup = `<Connect action="${at("connectAction")}">${relay}</Connect>`;
      const { hand, script } = await called(app, markup);
      const { serviceContext, action } = step(script, "consult");
      const context = serviceContext && { serviceContext };
      const found = await hand.report({ type: "consulting", ...context, ...action && { action } });
      const { conversation: { sid, url }, action: after } = step(found, "converse");
      const told = {
        type: "conversed",
        sid,
        url,
        durationS: 12,
        ...after && { action: after },
      } as const;
      await hand.report({ ...told, ...end });
    },
  };
}

/** Runs a flow, and compares each request that it causes with the webhook that its path names. */
async function parametersSent({ webhooks, options = {}, run }: Flow): Promise<[string, string][]> {
  using app = await startApp(options);
  await app.ports.companions.beat({ ...companion, seenAt: app.clock.now, registered: 0 });
  await run(app);
  await app.runJobs();

  const sent: [string, string][] = [];
  for (const request of app.fetched) {
    const name = new URL(request.url).pathname.slice(1);
    const form = await formOf(request);
    assertWebhook(name, form);
    sent.push(...Object.keys(form).map((parameter): [string, string] => [name, parameter]));
  }
  const missing = webhooks.filter((name) => !sent.some(([webhook]) => webhook === name));
  assert.deepEqual(missing, [], "not sent");
  return sent;
}

Deno.test("the service sends every webhook of the OpenAPI document as that describes it", async (t) => {
  const sent = new Map(Object.keys(document.webhooks).map((name) => [name, new Set<string>()]));
  for (const flow of flows) {
    await t.step(flow.webhooks.join(", "), async () => {
      for (const [name, parameter] of await parametersSent(flow)) sent.get(name)!.add(parameter);
    });
  }
  await t.step("each webhook is sent with each of its own parameters", () => {
    const missing = [...sent].flatMap(([name, parameters]) =>
      ownParameters(name).filter((parameter) => !parameters.has(parameter))
        .map((parameter) => `${parameter} of ${name}`)
    );
    assert.deepEqual(missing, []);
  });
});
