import assert from "node:assert/strict";
import { conferenceOptions } from "../../../core/model/values/conference_options.ts";
import { compile } from "../../../core/documents/compile.ts";
import { parseDocument } from "../../../core/markup/parse.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import { type Call, calls } from "../../../core/model/resources/calls.ts";

const base = { sid: "CA1", accountSid: "AC1", dateCreated: 0, dateUpdated: 0 };
const call = {
  ...base,
  ...withDefaults(calls, { from: "+15550001", to: "x", direction: "inbound", status: "ringing" }),
} as Call;

const compiled = (body: string) =>
  compile(parseDocument(`<Response>${body}</Response>`), {
    call,
    documentUrl: "https://app.test/voice/start",
    route: () => Promise.reject(new Error("a conference is not routed to")),
    unroutable() {},
    hops: 1,
    newSid: (prefix) => prefix,
  });

const conference = (attributes: string, dial = "") =>
  `<Dial ${dial}><Conference ${attributes}>lobby</Conference></Dial>`;
const at = (path: string) => `https://app.test/voice/${path}`;
const hangup = { type: "hangup", cause: "end-of-markup" };

/** What a Conference without attributes asks for. */
const plain = {
  kind: "conference",
  name: "lobby",
  most: 40,
  muted: false,
  beepOnEnter: true,
  beepOnExit: true,
  startOnEnter: true,
  endOnExit: false,
  timeLimitS: 14_400,
  hangupOnStar: false,
};

const attributes: Record<string, [attributes: string, wanted: Record<string, unknown>]> = {
  "nothing": ["", {}],
  "muted": [`muted="true"`, { muted: true }],
  "no beep": [`beep="false"`, { beepOnEnter: false, beepOnExit: false }],
  "a beep": [`beep="true"`, {}],
  "a beep on entry": [`beep="onEnter"`, { beepOnExit: false }],
  "a beep on exit": [`beep="onExit"`, { beepOnEnter: false }],
  "who does not start it": [`startConferenceOnEnter="false"`, { startOnEnter: false }],
  "who ends it": [`endConferenceOnExit="true"`, { endOnExit: true }],
  "the most it may have": [`maxParticipants="250"`, { most: 250 }],
  "one participant": [`maxParticipants="1"`, { most: 1 }],
  "silence for those who wait": [`waitUrl=""`, { wait: null }],
  "a document for them": [`waitUrl="hold"`, {
    wait: { url: at("hold"), method: "POST", hops: 0 },
  }],
  "one that is fetched by GET": [`waitUrl="hold" waitMethod="get"`, {
    wait: { url: at("hold"), method: "GET", hops: 0 },
  }],
  "a callback of start and end": [`statusCallback="cb"`, {
    callback: { url: at("cb"), method: "POST", events: ["start", "end"] },
  }],
  "a callback of other things": [
    `statusCallback="cb" statusCallbackMethod="GET" statusCallbackEvent="hold join,mute"`,
    { callback: { url: at("cb"), method: "GET", events: ["join", "mute", "hold"] } },
  ],
};

for (const [name, [given, wanted]] of Object.entries(attributes)) {
  Deno.test(`compile(): a Conference with ${name}`, async () => {
    const { script, skipped } = await compiled(conference(given));
    const serviceContext = { ...plain, ...wanted };
    assert.deepEqual({ script, skipped }, {
      script: [{ type: "consult", serviceContext }, hangup],
      skipped: [],
    });
    assert.deepEqual(conferenceOptions.parse(serviceContext), serviceContext);
  });
}

Deno.test("compile(): a Conference has Dial's action, timeLimit and hangupOnStar", async () => {
  const dial = `action="done" method="GET" timeLimit="60" hangupOnStar="true"`;
  const { script, skipped } = await compiled(conference("", dial));

  assert.deepEqual(skipped, []);
  assert.deepEqual(script, [{
    type: "consult",
    serviceContext: { ...plain, timeLimitS: 60, hangupOnStar: true },
    action: { url: at("done"), method: "GET", hops: 1 },
  }, hangup]);
});

for (const record of ["true", "record-from-start"]) {
  Deno.test(`compile(): a Conference that is recorded: ${record}`, async () => {
    const attributes = `record="${record}" recordingStatusCallback="made"`;
    const { script, skipped } = await compiled(conference(attributes));
    const callback = { url: at("made"), method: "POST" };
    const order = {
      sid: "RE",
      accountSid: "AC1",
      serviceContext: { source: "Conference", track: "both", statusCallback: callback },
    };
    assert.deepEqual([script[0], skipped], [
      { type: "consult", serviceContext: { ...plain, record: order } },
      [],
    ]);
  });
}

for (const record of ["false", "do-not-record"]) {
  Deno.test(`compile(): a Conference that is not recorded: ${record}`, async () => {
    const { script, skipped } = await compiled(conference(`record="${record}"`));
    assert.deepEqual([script[0], skipped], [{ type: "consult", serviceContext: plain }, []]);
  });
}

const flawed: Record<string, [body: string, skipped: string[], wanted?: Record<string, unknown>]> =
  {
    "more participants than there may be": [
      conference(`maxParticipants="251"`),
      ['value "251" of attribute "maxParticipants" of Conference'],
    ],
    "no participants": [
      conference(`maxParticipants="0"`),
      ['value "0" of attribute "maxParticipants" of Conference'],
    ],
    "a beep that is none": [
      conference(`beep="loud"`),
      ['value "loud" of attribute "beep" of Conference'],
    ],
    "a wait address that is none": [
      conference(`waitUrl="ftp://x/y"`),
      ['waitUrl "ftp://x/y" of Conference: it is no http or https address'],
    ],
    "a callback that is none": [
      conference(`statusCallback="ftp://x/y"`),
      ['statusCallback "ftp://x/y" of Conference: it is no http or https address'],
    ],
    "an event that is none": [
      conference(`statusCallback="cb" statusCallbackEvent="start dance"`),
      ['event "dance" of attribute "statusCallbackEvent" of Conference'],
      { callback: { url: at("cb"), method: "POST", events: ["start"] } },
    ],
    "an unknown attribute": [
      conference(`colour="red"`),
      ['attribute "colour" of Conference'],
    ],
    "other nouns": [
      `<Dial><Client>bob</Client><Conference>lobby</Conference></Dial>`,
      ["nouns of Dial beside its Conference"],
    ],
    "text beside it": [
      `<Dial>+15550009<Conference>lobby</Conference></Dial>`,
      ['the text "+15550009" of Dial beside its nouns'],
    ],
  };

for (const [name, [body, notes, wanted = {}]] of Object.entries(flawed)) {
  Deno.test(`compile() notes a Conference with ${name} and goes on`, async () => {
    const { script, skipped } = await compiled(body);
    assert.deepEqual(skipped, notes);
    assert.deepEqual(script, [
      { type: "consult", serviceContext: { ...plain, ...wanted } },
      hangup,
    ]);
  });
}

for (const name of ["", " ", "x".repeat(129)]) {
  Deno.test(`compile() goes on at the action past a Conference named "${name.slice(0, 9)}"`, async () => {
    const body = `<Dial action="done"><Conference>${name}</Conference></Dial>`;
    const { script, skipped } = await compiled(body);
    const params = { DialCallStatus: "failed", DialCallDuration: "0" };
    const action = { url: at("done"), method: "POST", hops: 1, params };
    assert.deepEqual(script, [{ type: "next", action }, hangup]);
    assert.match(skipped.join(), /its name has 1 to 128 characters/);
  });
}

const answer = { type: "answer" };

Deno.test("compile(): an Enqueue answers and waits in the queue of its name", async () => {
  const { script, skipped } = await compiled("<Enqueue>help</Enqueue>");
  assert.deepEqual(skipped, []);
  const serviceContext = { kind: "enqueue", name: "help" };
  assert.deepEqual(script, [answer, { type: "consult", serviceContext }, hangup]);
});

Deno.test("compile(): an Enqueue with every attribute, and with silence", async () => {
  const whole = await compiled(
    `<Enqueue action="done" method="GET" waitUrl="wait" waitMethod="GET">help</Enqueue>`,
  );
  assert.deepEqual(whole, {
    script: [answer, {
      type: "consult",
      serviceContext: {
        kind: "enqueue",
        name: "help",
        wait: { url: at("wait"), method: "GET", hops: 0 },
      },
      action: { url: at("done"), method: "GET", hops: 1 },
    }, hangup],
    skipped: [],
  });
  const { script } = await compiled(`<Enqueue waitUrl="">help</Enqueue>`);
  assert.deepEqual(script[1], {
    type: "consult",
    serviceContext: { kind: "enqueue", name: "help", wait: null },
  });
});

Deno.test("compile(): a Queue in Dial takes a call, with Dial's bounds and action", async () => {
  const serviceContext = { kind: "dequeue", name: "help", timeoutS: 30, timeLimitS: 14_400 };
  assert.deepEqual(await compiled(`<Dial><Queue>help</Queue></Dial>`), {
    script: [
      { type: "consult", serviceContext: { ...serviceContext, hangupOnStar: false } },
      hangup,
    ],
    skipped: [],
  });
  const dial = `action="done" timeout="5" timeLimit="60" hangupOnStar="true"`;
  const whole = await compiled(`<Dial ${dial}><Queue>help</Queue></Dial>`);
  assert.deepEqual(whole.script[0], {
    type: "consult",
    serviceContext: { ...serviceContext, timeoutS: 5, timeLimitS: 60, hangupOnStar: true },
    action: { url: at("done"), method: "POST", hops: 1 },
  });
});

Deno.test("compile(): a recorded Dial records the call from a Queue, a Conference only by its own", async () => {
  const { script } = await compiled(`<Dial record="true"><Queue>help</Queue></Dial>`);
  assert.ok(script[0]?.type === "consult");
  assert.deepEqual(script[0].serviceContext.record, {
    sid: "RE",
    accountSid: "AC1",
    serviceContext: { source: "DialVerb", track: "both" },
  });
  const { skipped } = await compiled(conference("", `record="true"`));
  assert.deepEqual(skipped, ["record of Dial: its Conference has one of its own"]);
});

Deno.test("compile(): Leave is a step; without a queue to leave the document goes on", async () => {
  const { script, skipped } = await compiled("<Leave/><Pause/>");
  assert.deepEqual([script.map(({ type }) => type), skipped], [["leave", "silence", "hangup"], []]);
});

for (const name of ["", "x".repeat(65)]) {
  Deno.test(`compile() goes on past a queue named "${name.slice(0, 9)}"`, async () => {
    const body = `<Enqueue action="done">${name}</Enqueue><Dial><Queue>${name}</Queue></Dial>`;
    const { script, skipped } = await compiled(body);
    assert.deepEqual(script.map(({ type }) => type), ["answer", "next", "hangup"]);
    assert.equal(skipped.filter((note) => /1 to 64 characters/.test(note)).length, 2);
  });
}

Deno.test("compile() notes what a Queue cannot have", async () => {
  const body = `<Dial><Queue label="x">help</Queue><Client>bob</Client></Dial>`;
  const { skipped } = await compiled(body);
  assert.deepEqual(skipped, ["nouns of Dial beside its Queue", 'attribute "label" of Queue']);
});
