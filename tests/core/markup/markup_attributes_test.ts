import assert from "node:assert/strict";
import type { Action } from "../../../core/protocol/action.ts";
import type { RecordingOrder } from "../../../core/protocol/recordings.ts";
import type { Step } from "../../../core/protocol/script.ts";
import type { Compiled } from "../../../core/documents/compile.ts";
import { verbs } from "../../../core/markup/verbs/mod.ts";
import { compiled, inbound, stepOf } from "../../support/service/compile_lab.ts";

/** What an attribute makes of what it is given, and when it is absent or wrong. */
interface Table {
  attribute: string;
  /** The element, with a place for the attribute. */
  of: string;
  read(made: Compiled): unknown;
  absent: unknown;
  takes?: Record<string, unknown>;
  refuses?: string[];
}

const step =
  <T extends Step["type"], R>(type: T, read: (step: Extract<Step, { type: T }>) => R) =>
  (made: Compiled) => read(stepOf(made, type));

const gather = <R>(read: (step: Extract<Step, { type: "gather" }>) => R) => step("gather", read);
const dial = <R>(read: (step: Extract<Step, { type: "dial" }>) => R) => step("dial", read);
const serviceContext = (name: string) => dial(({ legs }) => legs[0]?.serviceContext?.[name]);
const ordered = (name: string) => step("note", (s) => s.serviceContext[name]);
const bob = "<Dial @><Client>bob</Client></Dial>";
const client = "<Dial><Client @>bob</Client></Dial>";
const number = "<Dial><Number @>+15550002</Number></Dial>";
const sip = "<Dial><Sip @>sip:carol@sip.test</Sip></Dial>";
const at = (path: string) => `https://app.test${path}`;
const methods = { GET: "GET", POST: "POST", get: "GET", post: "POST" };
const noMethods = ["PUT", "", "G"];
const noAddresses = ["ftp://app.test/x", "http://", "mailto:me@app.test", "javascript:x"];
const truths = { true: true, false: false };
const noTruths = ["TRUE", "yes", "1", ""];
const keys = { "": "", "*": "*", "12ab": "12AB", "0123456789*#": "0123456789*#" };
const noKeys = ["w", "1 2", "-1", "any"];
const speech = (read: string, absent: unknown, more: Partial<Table>): Table => ({
  attribute: read,
  of: '<Gather input="speech" @/>',
  read: gather(({ speech }) => speech?.[read as "language" | "hints"]),
  absent,
  ...more,
});
const wholes = (min: number, max: number) => ({
  takes: { [min]: min, [max]: max, [`0${min}`]: min },
  refuses: [String(min - 1), String(max + 1), "1.5", "x", "", "1e2", " 5", "99999999999"],
});

const eventsOf = (order: RecordingOrder | undefined) =>
  (order?.serviceContext?.["statusCallback"] as { events?: string[] } | undefined)?.events;

const tables: Table[] = [
  {
    attribute: "length",
    of: "<Pause @/>",
    read: step("silence", (s) => s.seconds),
    absent: 1,
    ...wholes(1, 3_600),
  },
  {
    attribute: "music",
    of: "<Pause @/>",
    read: step("silence", (s) => s.music ?? false),
    absent: false,
    takes: truths,
    refuses: noTruths,
  },
  {
    attribute: "timeLimit",
    of: "<Echo @/>",
    read: step("echo", (s) => s.seconds),
    absent: 600,
    ...wholes(1, 3_600),
  },
  {
    attribute: "loop",
    of: "<Play @>a.wav</Play>",
    read: step("play", (s) => s.loop),
    absent: 1,
    ...wholes(0, 1_000),
  },
  {
    attribute: "digits",
    of: "<Play @>a.wav</Play>",
    read: ({ script }) => script[0]?.type === "digits" ? script[0].digits : undefined,
    absent: undefined,
    takes: { "0": "0", "1w2W#*": "1w2W#*", "abcd": "ABCD", ["1".repeat(200)]: "1".repeat(200) },
    refuses: ["", "x", "1 2", "+1", "1".repeat(201)],
  },
  {
    attribute: "method",
    of: "<Redirect @>next</Redirect>",
    read: step("next", (s) => s.action.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "reason",
    of: "<Reject @/>",
    read: step("reject", (s) => s.status),
    absent: 603,
    takes: { busy: 486, rejected: 603 },
    refuses: ["BUSY", "", "gone"],
  },
  {
    attribute: "timeout",
    of: "<Gather @/>",
    read: gather((s) => s.timeoutS),
    absent: 5,
    ...wholes(1, 3_600),
  },
  {
    attribute: "numDigits",
    of: "<Gather @/>",
    read: gather((s) => s.keys?.most),
    absent: 1_000,
    ...wholes(1, 1_000),
  },
  {
    attribute: "finishOnKey",
    of: "<Gather @/>",
    read: gather((s) => s.keys?.finish),
    absent: "#",
    takes: keys,
    refuses: noKeys,
  },
  {
    attribute: "startInputKey",
    of: "<Gather @/>",
    read: gather((s) => s.keys?.start),
    absent: "0123456789*#",
    takes: keys,
    refuses: noKeys,
  },
  {
    attribute: "input",
    of: "<Gather @/>",
    read: gather((s) => [s.keys !== undefined, s.speech !== undefined]),
    absent: [true, false],
    takes: {
      "dtmf": [true, false],
      "speech": [false, true],
      "dtmf speech": [true, true],
      "SPEECH,DTMF": [true, true],
    },
    refuses: ["", "voice", "dtmf voice"],
  },
  speech("language", "en-US", {
    takes: { "de": "de", "en-GB": "en-GB", "pt_BR": "pt_BR", "zh-Hans-CN": "zh-Hans-CN" },
    refuses: ["", "English (US)", "../en", "e"],
  }),
  speech("hints", [], {
    takes: { "": [], "yes": ["yes"], "yes, no way ,,": ["yes", "no way"] },
    refuses: ["x".repeat(4_001), Array(101).fill("a").join(",")],
  }),
  {
    attribute: "partialResultCallback",
    of: '<Gather input="speech" @/>',
    read: gather((s) => s.speech?.partials?.url),
    absent: undefined,
    takes: { "part": at("/voice/part") },
    refuses: noAddresses,
  },
  {
    attribute: "partialResultCallbackMethod",
    of: '<Gather input="speech" partialResultCallback="p" @/>',
    read: gather((s) => s.speech?.partials?.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "action",
    of: "<Gather @/>",
    read: gather((s) => s.action?.url),
    absent: undefined,
    takes: { "/x": at("/x"), "?y=2": at("/voice/start?y=2"), "http://b.test/": "http://b.test/" },
    refuses: noAddresses,
  },
  {
    attribute: "method",
    of: '<Gather action="x" @/>',
    read: gather((s) => s.action?.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "action",
    of: bob,
    read: dial((s) => s.action?.url),
    absent: undefined,
    takes: { "/x": at("/x") },
    refuses: noAddresses,
  },
  {
    attribute: "method",
    of: bob.replace("@", 'action="x" @'),
    read: dial((s) => s.action?.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  { attribute: "timeout", of: bob, read: dial((s) => s.timeoutS), absent: 30, ...wholes(1, 600) },
  {
    attribute: "timeLimit",
    of: bob,
    read: dial((s) => s.timeLimitS),
    absent: 14_400,
    ...wholes(1, 14_400),
  },
  {
    attribute: "callerId",
    of: bob,
    read: dial((s) => s.legs[0]?.from),
    absent: "+15550001",
    takes: { "me": "me", "+15550009": "+15550009" },
    refuses: ["x".repeat(256)],
  },
  {
    attribute: "hangupOnStar",
    of: bob,
    read: dial((s) => s.hangupOnStar),
    absent: false,
    takes: truths,
    refuses: noTruths,
  },
  ...[client, number, sip].flatMap((of): Table[] => [
    {
      attribute: "statusCallback",
      of,
      read: serviceContext("statusCallback"),
      absent: undefined,
      takes: { "cb": at("/voice/cb") },
      refuses: noAddresses,
    },
    {
      attribute: "statusCallbackMethod",
      of: of.replace("@", 'statusCallback="cb" @'),
      read: serviceContext("statusCallbackMethod"),
      absent: "POST",
      takes: methods,
      refuses: noMethods,
    },
    {
      attribute: "statusCallbackEvent",
      of: of.replace("@", 'statusCallback="cb" @'),
      read: serviceContext("statusCallbackEvent"),
      absent: undefined,
      takes: {
        "ringing answered": "ringing answered",
        "initiated,completed": "initiated,completed",
      },
      refuses: ["rang", "answered,gone"],
    },
    {
      attribute: "url",
      of,
      read: dial(({ legs }) => [legs[0]?.screened, legs[0]?.serviceContext?.["url"]]),
      absent: [undefined, undefined],
      takes: { "screen": [true, at("/voice/screen")] },
      refuses: noAddresses,
    },
    {
      attribute: "method",
      of: of.replace("@", 'url="screen" @'),
      read: serviceContext("method"),
      absent: "POST",
      takes: methods,
      refuses: noMethods,
    },
  ]),
  {
    attribute: "sendDigits",
    of: number,
    read: dial(({ legs }) => legs[0]?.sendDigits),
    absent: undefined,
    takes: { "ww1#": "ww1#" },
    refuses: ["", "1,2", "p1"],
  },
  ...["username", "password"].map((attribute): Table => ({
    attribute,
    of: attribute === "username" ? sip : sip.replace("@", 'username="me" @'),
    read: dial(({ legs: [leg] }) =>
      leg?.target.kind === "trunk"
        ? leg.target.routes[0]?.credentials?.[attribute === "username" ? "userName" : "password"]
        : undefined
    ),
    absent: attribute === "username" ? undefined : "",
    takes: { "me": "me", "with space": "with space" },
    refuses: ["x".repeat(129)],
  })),
  ...(["to", "from"] as const).map((attribute): Table => ({
    attribute,
    of: "<Sms @>hi</Sms>",
    read: ordered(attribute),
    absent: attribute === "to" ? "x" : "+15550001",
    takes: { "+15550009": "+15550009", "client:bob": "client:bob", " 12345 ": "12345" },
    refuses: ["", " ", "1".repeat(256)],
  })),
  {
    attribute: "action",
    of: "<Sms @>hi</Sms>",
    read: step("note", (s) => s.action?.url),
    absent: undefined,
    takes: { "/x": at("/x") },
    refuses: noAddresses,
  },
  {
    attribute: "method",
    of: '<Sms action="x" @>hi</Sms>',
    read: step("note", (s) => s.action?.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "statusCallback",
    of: "<Sms @>hi</Sms>",
    read: ordered("statusCallback"),
    absent: undefined,
    takes: { "/x": at("/x") },
    refuses: noAddresses,
  },
  {
    attribute: "statusCallbackMethod",
    of: "<Sms @>hi</Sms>",
    read: ordered("statusCallbackMethod"),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  ...(["cc", "bcc"] as const).map((attribute): Table => ({
    attribute,
    of: '<Email @ from="a@b.test" to="c@d.test">hi</Email>',
    read: ordered(attribute),
    absent: undefined,
    takes: { "e@f.test, g@h.test": "e@f.test, g@h.test" },
    refuses: ["", " "],
  })),
  {
    attribute: "subject",
    of: '<Email @ from="a@b.test" to="c@d.test">hi</Email>',
    read: ordered("subject"),
    absent: "",
    takes: { "": "", "A word": "A word" },
    refuses: ["x".repeat(16_385)],
  },
  {
    attribute: "deviceIdentifier",
    of: '<Geolocation statusCallback="/g" @/>',
    read: ordered("deviceIdentifier"),
    absent: "x",
    takes: { "+59899077937": "+59899077937" },
    refuses: ["", " "],
  },
  {
    attribute: "action",
    of: '<Geolocation statusCallback="/g" @/>',
    read: step("note", (s) => s.action?.url),
    absent: undefined,
    takes: { "/x": at("/x") },
    refuses: noAddresses,
  },
  {
    attribute: "method",
    of: '<Geolocation statusCallback="/g" action="x" @/>',
    read: step("note", (s) => s.action?.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
];

/** Who is told of what came to be, in the serviceContext of a recording. */
const told = (
  attribute: string,
  of: string,
  read: (made: Compiled) => { url: string; method: string } | undefined,
): Table[] => [
  {
    attribute,
    of,
    read: (made) => read(made)?.url,
    absent: undefined,
    takes: { "told": at("/voice/told"), "/told": at("/told") },
    refuses: noAddresses,
  },
  {
    attribute: `${attribute}Method`,
    of: of.replace("@", `${attribute}="told" @`),
    read: (made) => read(made)?.method,
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
];

const record = <R>(read: (step: Extract<Step, { type: "record" }>) => R) => step("record", read);
const recordMemo = (name: string) =>
  record(({ recording }) =>
    recording.serviceContext?.[name] as { url: string; method: string } | undefined
  );
const dialMemo = (name: string) =>
  dial((step) =>
    step.record?.serviceContext?.[name] as { url: string; method: string } | undefined
  );
const actionOf = ({ script }: Compiled) =>
  script.flatMap((one) => "action" in one && one.action ? [one.action] : [])[0];
const done = (element: string): Table[] => [
  {
    attribute: "action",
    of: element,
    read: (made) => actionOf(made)?.url,
    absent: undefined,
    takes: { "done": at("/voice/done") },
    refuses: noAddresses,
  },
  {
    attribute: "method",
    of: element.replace("@", 'action="done" @'),
    read: (made) => actionOf(made)?.method,
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
];

const voiceTables: Table[] = [
  {
    attribute: "voice",
    of: "<Say @>hello</Say>",
    read: step("say", (s) => s.voice),
    absent: "woman",
    takes: { man: "man", "en-GB/anna.2": "en-GB/anna.2" },
    refuses: ["", "a b", "x".repeat(61)],
  },
  {
    attribute: "language",
    of: "<Say @>hello</Say>",
    read: step("say", (s) => s.language),
    absent: "en-US",
    takes: { de: "de", "pt_BR": "pt_BR" },
    refuses: ["", "English", "../en", "e"],
  },
  {
    attribute: "loop",
    of: "<Say @>hello</Say>",
    read: step("say", (s) => s.loop),
    absent: 1,
    ...wholes(0, 1_000),
  },
  ...done("<Refer @><Sip>sip:carol@sip.test</Sip></Refer>"),
  ...done("<Record @/>"),
  {
    attribute: "timeout",
    of: "<Record @/>",
    read: record((s) => s.timeoutS),
    absent: 5,
    ...wholes(1, 600),
  },
  {
    attribute: "maxLength",
    of: "<Record @/>",
    read: record((s) => s.maxLengthS),
    absent: 3_600,
    ...wholes(1, 14_400),
  },
  {
    attribute: "finishOnKey",
    of: "<Record @/>",
    read: record((s) => s.finishOnKey),
    absent: "0123456789*#",
    takes: { "-1": "", "": "", "#": "#" },
    refuses: ["any", "1 2"],
  },
  {
    attribute: "playBeep",
    of: "<Record @/>",
    read: record((s) => s.playBeep),
    absent: true,
    takes: truths,
    refuses: noTruths,
  },
  {
    attribute: "trim",
    of: "<Record @/>",
    read: record((s) => s.trim),
    absent: true,
    takes: { "trim-silence": true, "do-not-trim": false },
    refuses: ["true", ""],
  },
  {
    attribute: "transcribe",
    of: "<Record @/>",
    read: record(({ recording }) => recording.serviceContext?.["transcribe"]),
    absent: undefined,
    takes: { true: true, false: undefined },
    refuses: noTruths,
  },
  ...told("transcribeCallback", "<Record @/>", recordMemo("transcribeCallback")),
  ...told("recordingStatusCallback", "<Record @/>", recordMemo("statusCallback")),
  {
    attribute: "record",
    of: bob,
    read: dial((s) => s.record !== undefined),
    absent: false,
    takes: { true: true, false: false, "record-from-answer": true, "do-not-record": false },
    refuses: ["TRUE", "yes", ""],
  },
  ...told(
    "recordingStatusCallback",
    bob.replace("@", 'record="true" @'),
    dialMemo("statusCallback"),
  ),
];

const consult = <R>(read: (step: Extract<Step, { type: "consult" }>) => R) => step("consult", read);
const waitOf = (field: "url" | "method") =>
  consult(({ serviceContext }) => (serviceContext["wait"] as Action | null | undefined)?.[field]);
const queue = "<Enqueue @>help</Enqueue>";

const queueTables: Table[] = [
  {
    attribute: "action",
    of: queue,
    read: consult(({ action }) => action?.url),
    absent: undefined,
    takes: { "done": at("/voice/done"), "": undefined },
    refuses: noAddresses,
  },
  {
    attribute: "method",
    of: queue.replace("@", 'action="done" @'),
    read: consult(({ action }) => action?.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "waitUrl",
    of: queue,
    read: waitOf("url"),
    absent: undefined,
    takes: { "wait": at("/voice/wait"), "": undefined },
    refuses: noAddresses,
  },
  {
    attribute: "waitMethod",
    of: queue.replace("@", 'waitUrl="wait" @'),
    read: waitOf("method"),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
];

const asText = (...names: [string, string][]): Table[] =>
  names.map(([attribute, of]) => ({
    attribute,
    of,
    read: ({ script }) => JSON.stringify(script.map(({ type }) => type)),
    absent: JSON.stringify(["gather", "hangup"]),
    takes: { true: '["gather","hangup"]', "phone_call": '["gather","hangup"]' },
  }));
const heard = '<Gather input="speech" @/>';
const message = "<Message @>hi</Message>";
const answered = (made: Compiled) => made.script[0]?.type === "answer";

/** What documents for Twilio's interface say besides. */
const twilioTables: Table[] = [
  ...done(message),
  {
    attribute: "to",
    of: message,
    read: ordered("to"),
    absent: "x",
    takes: { "+15550009": "+15550009" },
    refuses: [""],
  },
  {
    attribute: "from",
    of: message,
    read: ordered("from"),
    absent: "+15550001",
    takes: { "+15550009": "+15550009" },
    refuses: [""],
  },
  {
    attribute: "statusCallback",
    of: message,
    read: ordered("statusCallback"),
    absent: undefined,
    takes: { "sent": at("/voice/sent") },
    refuses: noAddresses,
  },
  {
    attribute: "statusCallbackMethod",
    of: message,
    read: ordered("statusCallbackMethod"),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "actionOnEmptyResult",
    of: '<Gather action="done" @/>',
    read: gather((s) => s.actionOnEmpty),
    absent: undefined,
    takes: { true: true, false: undefined },
    refuses: noTruths,
  },
  {
    attribute: "bargeIn",
    of: "<Gather @/>",
    read: gather((s) => s.bargeIn),
    absent: undefined,
    takes: { true: undefined, false: false },
    refuses: noTruths,
  },
  {
    attribute: "speechTimeout",
    of: heard,
    read: gather(({ speech }) => speech?.pauseMs),
    absent: undefined,
    takes: { auto: undefined, "1": 1_000, "60": 60_000 },
    refuses: ["0", "61", "1.5", "", "x"],
  },
  {
    attribute: "maxSpeechTime",
    of: heard,
    read: gather(({ speech }) => speech?.longestMs),
    absent: undefined,
    takes: { "1": 1_000, "59": 59_000, "60": undefined },
    refuses: ["0", "61", "x"],
  },
  ...asText(
    ["enhanced", heard],
    ["profanityFilter", heard],
    ["speechModel", heard],
    ["dtmfDetection", heard],
    ["debug", heard],
  ),
  {
    attribute: "waitUrlMethod",
    of: queue.replace("@", 'waitUrl="wait" @'),
    read: waitOf("method"),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "maxQueueSize",
    of: queue,
    read: consult(({ serviceContext }) => serviceContext["most"]),
    absent: undefined,
    takes: { "1": 1, "249": 249, "250": undefined },
    refuses: ["0", "251", "x"],
  },
  {
    attribute: "url",
    of: "<Dial><Queue @>help</Queue></Dial>",
    read: consult(({ serviceContext }) => (serviceContext["whisper"] as Action | undefined)?.url),
    absent: undefined,
    takes: { "hear": at("/voice/hear"), "": undefined },
    refuses: noAddresses,
  },
  {
    attribute: "method",
    of: '<Dial><Queue url="hear" @>help</Queue></Dial>',
    read: consult(({ serviceContext }) => (serviceContext["whisper"] as Action).method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  {
    attribute: "sequential",
    of: bob,
    read: dial((s) => s.sequential),
    absent: undefined,
    takes: { true: true, false: undefined },
    refuses: noTruths,
  },
  {
    attribute: "answerOnBridge",
    of: bob,
    read: answered,
    absent: false,
    takes: { true: false, false: true },
    refuses: noTruths,
  },
  {
    attribute: "ringTone",
    of: bob,
    read: dial((s) => s.ringTone),
    absent: undefined,
    takes: { us: "us", "us-old": "us-old", de: "de" },
    refuses: ["US", "", "xx"],
  },
  {
    attribute: "recordingTrack",
    of: bob.replace("@", 'record="true" @'),
    read: dial((s) => s.recordingManner?.track),
    absent: undefined,
    takes: { both: undefined, inbound: "inbound", outbound: "outbound" },
    refuses: ["caller", ""],
  },
  {
    attribute: "trim",
    of: bob.replace("@", 'record="true" @'),
    read: dial((s) => s.recordingManner?.trim),
    absent: undefined,
    takes: { "trim-silence": true, "do-not-trim": undefined },
    refuses: ["true", ""],
  },
  {
    attribute: "referUrl",
    of: bob,
    read: dial((s) => s.refer?.url),
    absent: undefined,
    takes: { "refer": at("/voice/refer"), "": undefined },
    refuses: noAddresses,
  },
  {
    attribute: "referMethod",
    of: bob.replace("@", 'referUrl="refer" @'),
    read: dial((s) => s.refer?.method),
    absent: "POST",
    takes: methods,
    refuses: noMethods,
  },
  ...[
    ["Dial", bob.replace("@", 'record="true" recordingStatusCallback="r" @'), dial] as const,
  ].map(([, of]): Table => ({
    attribute: "recordingStatusCallbackEvent",
    of,
    read: dial((s) => eventsOf(s.record)),
    absent: undefined,
    takes: {
      "completed": ["completed"],
      "in-progress completed absent": ["in-progress", "completed", "absent"],
      "absent,in-progress": ["in-progress", "absent"],
    },
    refuses: ["started", "in-progress x"],
  })),
  {
    attribute: "recordingStatusCallbackEvent",
    of: '<Record recordingStatusCallback="r" @/>',
    read: step("record", (s) => eventsOf(s.recording)),
    absent: undefined,
    takes: { "in-progress": ["in-progress"] },
    refuses: ["started"],
  },
  {
    attribute: "machineDetection",
    of: number,
    read: dial(({ legs }) => legs[0]?.machineDetection?.untilEnd),
    absent: undefined,
    takes: { Enable: false, DetectMessageEnd: true },
    refuses: ["true", "enable", ""],
  },
  {
    attribute: "machineDetectionTimeout",
    of: sip.replace("@", 'machineDetection="Enable" @'),
    read: dial(({ legs }) => legs[0]?.machineDetection?.timeoutS),
    absent: 30,
    takes: { "3": 3, "59": 59 },
    refuses: ["2", "60", "x"],
  },
  {
    attribute: "amdStatusCallback",
    of: number.replace("@", 'machineDetection="Enable" @'),
    read: dial(({ legs }) => legs[0]?.machineDetection?.callback?.url),
    absent: undefined,
    takes: { "amd": at("/voice/amd"), "": undefined },
    refuses: noAddresses,
  },
];

const allTables = [...tables, ...voiceTables, ...queueTables, ...twilioTables];

const noted = (skipped: string[], attribute: string) =>
  skipped.some((note) => note.includes(`"${attribute}"`) || note.startsWith(`${attribute} "`));

for (
  const { attribute, of, read, absent, takes = {}, refuses = [] } of allTables
) {
  const [, verb, noun] = /^<(\w+)[^>]*>(?:<(\w+))?/.exec(of)!;
  const inNoun = !of.startsWith(`<${verb} @`) && of.includes(`<${noun} `);
  const element = inNoun ? `${verb}'s ${noun}` : verb;
  const given = (value: string) =>
    compiled(of.replace("@", `${attribute}="${value.replaceAll("&", "&amp;")}"`));

  Deno.test(`${attribute} of ${element} has a default, and values that it takes`, async () => {
    const without = await compiled(of.replace("@", ""));
    assert.deepEqual(read(without), absent);
    assert.deepEqual(without.skipped, []);
    for (const [value, wanted] of Object.entries(takes)) {
      const made = await given(value);
      assert.deepEqual(read(made), wanted, value);
      assert.deepEqual(made.skipped, [], value);
    }
  });

  Deno.test(`${attribute} of ${element} counts as absent, with a note, when it is wrong`, async () => {
    for (const value of refuses) {
      const made = await given(value);
      assert.deepEqual(read(made), absent, value);
      assert.ok(noted(made.skipped, attribute), `${value}: ${made.skipped}`);
    }
  });
}

Deno.test("every attribute of every verb has a table", () => {
  const declared = [...verbs.values()].flatMap(({ name, attributes }) =>
    Object.keys(attributes).map((attribute) => `${attribute} of ${name}`)
  );
  // What is needed has no default: tests/flows/orders_test.ts.
  const needed = [
    "from of Email",
    "to of Email",
    "statusCallback of Geolocation",
    "action of Connect", // nouns_test.ts
    "method of Connect",
  ];
  const known = allTables.map(({ attribute, of }) => `${attribute} of ${/^<(\w+)/.exec(of)![1]}`);
  assert.deepEqual(declared.filter((one) => ![...known, ...needed].includes(one)), []);
});

Deno.test("a call that rings is answered before every verb but Pause, Dial, Leave, Redirect and Reject", async () => {
  const bodies: Record<string, string> = {
    Dial: "<Dial>bob@x.test</Dial>",
    Enqueue: "<Enqueue>help</Enqueue>",
    Play: "<Play>x</Play>",
    Redirect: "<Redirect>x</Redirect>",
    Email: '<Email from="a@b.test" to="c@d.test"/>',
    Geolocation: '<Geolocation statusCallback="/g"/>',
    Refer: "<Refer><Sip>sip:carol@sip.test</Sip></Refer>",
    Say: "<Say>hello</Say>",
    Connect: '<Connect action="done"><Stream url="wss://x.test"/></Connect>',
    Pause: "<Pause/><Reject/>", // A document that only pauses is answered at once.
  };
  const answering = [];
  for (const name of verbs.keys()) {
    const { script } = await compiled(bodies[name] ?? `<${name}/>`, inbound);
    if (script[0]?.type === "answer") answering.push(name);
  }
  const silent = ["Pause", "Dial", "Leave", "Redirect", "Reject"];
  assert.deepEqual(answering, [...verbs.keys()].filter((name) => !silent.includes(name)));
});
