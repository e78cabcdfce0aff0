import assert from "node:assert/strict";
import type { Address } from "../../core/calls/address.ts";
import type { Routing } from "../../core/calls/route.ts";
import { compile } from "../../core/markup/compile.ts";
import { parseDocument } from "../../core/markup/parse.ts";
import { withDefaults } from "../../core/resource.ts";
import { type Call, calls } from "../../core/resources/calls.ts";

const outbound = { direction: "outbound-api", status: "in-progress" } as const;
const inbound = { direction: "inbound", status: "ringing" } as const;

function compiled(body: string, known: Partial<Call> = outbound) {
  let made = 0;
  const base = { sid: "CA1", accountSid: "AC1", dateCreated: 0, dateUpdated: 0 };
  const call = {
    ...base,
    ...withDefaults(calls, { from: "+15550001", to: "x", ...known }),
  } as Call;
  return compile(parseDocument(`<Response>${body}</Response>`), {
    call,
    documentUrl: "https://app.test/voice/start?x=1",
    route: (address, { from }) => Promise.resolve(routed(address, from)),
    hops: 1,
    newSid: (prefix) => prefix + String(++made).padStart(32, "0"),
  });
}

/** Everybody is there. */
function routed(address: Address, from: string): Routing {
  const rateMicros = 0;
  if (address.kind === "number") {
    const { dialled } = address;
    return { target: { kind: "trunk", dialled, routes: [] }, to: dialled, from, rateMicros };
  }
  const login = address.kind === "client" ? address.login : address.user;
  return { target: { kind: "client", login }, to: `client:${login}`, from, rateMicros };
}

const hangup = { type: "hangup" };
const leg = (login: string, number = 1) => ({
  leg: "CA" + String(number).padStart(32, "0"),
  accountSid: "AC1",
  from: "+15550001",
  to: `client:${login}`,
  target: { kind: "client", login },
});
const dialled = { type: "dial", media: "anchored", timeoutS: 30, timeLimitS: 14_400 };

const recordingOf = (number: number) => ({
  sid: "RE" + String(number).padStart(32, "0"),
  accountSid: "AC1",
});
const recordStep = {
  type: "record",
  recording: recordingOf(1),
  timeoutS: 5,
  finishOnKey: "0123456789*#",
  maxLengthS: 3_600,
  playBeep: true,
  trim: true,
};

const documents: Record<string, { body: string; call?: Partial<Call>; script: unknown[] }> = {
  "Play resolves its URL against the document": {
    body: `<Play loop="0">../tone.wav</Play>`,
    script: [{ type: "play", url: "https://app.test/tone.wav", loop: 0 }, hangup],
  },
  "Play decodes entities of its URL": {
    body: `<Play>/a?b=1&amp;c=&#50;</Play>`,
    script: [{ type: "play", url: "https://app.test/a?b=1&c=2", loop: 1 }, hangup],
  },
  "Pause has a length of one second": {
    body: `<Pause/><Pause length="3"/>`,
    script: [{ type: "silence", seconds: 1 }, { type: "silence", seconds: 3 }, hangup],
  },
  "an inbound call is answered before the first verb": {
    body: `<Play>/t.wav</Play>`,
    call: inbound,
    script: [
      { type: "answer" },
      { type: "play", url: "https://app.test/t.wav", loop: 1 },
      hangup,
    ],
  },
  "a leading Pause delays the answer": {
    body: `<Pause/><Play>/t.wav</Play><Play>/t.wav</Play>`,
    call: inbound,
    script: [
      { type: "silence", seconds: 1 },
      { type: "answer" },
      { type: "play", url: "https://app.test/t.wav", loop: 1 },
      { type: "play", url: "https://app.test/t.wav", loop: 1 },
      hangup,
    ],
  },
  "Reject refuses with 603 by default, and ends the document": {
    body: `<Reject/><Play>/t.wav</Play>`,
    call: inbound,
    script: [{ type: "reject", status: 603 }],
  },
  "Reject as busy is 486": {
    body: `<Reject reason="busy"/>`,
    call: inbound,
    script: [{ type: "reject", status: 486 }],
  },
  "Redirect goes on at its URL and leaves the answer to it": {
    body: `<Redirect method="get">next</Redirect><Play>/never.wav</Play>`,
    call: inbound,
    script: [{
      type: "next",
      action: { url: "https://app.test/voice/next", method: "GET", hops: 1 },
    }],
  },
  "Dial of a Client": {
    body: `<Dial><Client>bob</Client></Dial>`,
    call: inbound,
    script: [{ ...dialled, legs: [leg("bob")], hangupOnStar: false }, hangup],
  },
  "Dial with every attribute": {
    body:
      `<Dial action="done" method="GET" timeout="5" timeLimit="60" callerId="me" hangupOnStar="true"><Client>bob</Client><Sip>sip:carol@sip.test</Sip></Dial>`,
    script: [{
      ...dialled,
      legs: [{ ...leg("bob"), from: "me" }, { ...leg("carol", 2), from: "me" }],
      timeoutS: 5,
      timeLimitS: 60,
      hangupOnStar: true,
      action: { url: "https://app.test/voice/done", method: "GET", hops: 1 },
    }, hangup],
  },
  "Dial of a text that names a Client": {
    body: `<Dial>client:bob</Dial>`,
    script: [{ ...dialled, legs: [leg("bob")], hangupOnStar: false }, hangup],
  },
  "Dial carries headers and callbacks of a noun": {
    body:
      `<Dial><Client statusCallback="/cb" statusCallbackEvent="ringing">bob?X-Order=7&amp;X-Name=a%20b</Client></Dial>`,
    script: [{
      ...dialled,
      legs: [{
        ...leg("bob"),
        headers: { "X-Order": "7", "X-Name": "a b" },
        memo: {
          statusCallback: "https://app.test/cb",
          statusCallbackMethod: "POST",
          statusCallbackEvent: "ringing",
        },
      }],
      hangupOnStar: false,
    }, hangup],
  },
  "Dial that is recorded": {
    body:
      `<Dial record="record-from-answer-dual" recordingStatusCallback="/rec" recordingStatusCallbackMethod="GET"><Client>bob</Client></Dial><Dial record="do-not-record">client:bob</Dial>`,
    script: [
      {
        ...dialled,
        legs: [leg("bob")],
        hangupOnStar: false,
        record: {
          sid: "RE" + "2".padStart(32, "0"),
          accountSid: "AC1",
          memo: { statusCallback: { url: "https://app.test/rec", method: "GET" } },
        },
      },
      { ...dialled, legs: [leg("bob", 3)], hangupOnStar: false },
      hangup,
    ],
  },
  "Record answers, and has its defaults": {
    body: "<Record/>",
    call: inbound,
    script: [{ type: "answer" }, recordStep, hangup],
  },
  "Record with every attribute": {
    body:
      `<Record action="done" method="get" timeout="9" finishOnKey="12" maxLength="60" playBeep="false" trim="do-not-trim" transcribe="true" transcribeCallback="/text" transcribeCallbackMethod="GET" recordingStatusCallback="/rec" recordingStatusCallbackMethod="GET"/>`,
    script: [{
      ...recordStep,
      recording: {
        ...recordStep.recording,
        memo: {
          transcribe: true,
          transcribeCallback: { url: "https://app.test/text", method: "GET" },
          statusCallback: { url: "https://app.test/rec", method: "GET" },
        },
      },
      timeoutS: 9,
      finishOnKey: "12",
      maxLengthS: 60,
      playBeep: false,
      trim: false,
      action: { url: "https://app.test/voice/done", method: "GET", hops: 1 },
    }, hangup],
  },
  "Record that no key ends": {
    body: `<Record finishOnKey="-1"/><Record finishOnKey=""/>`,
    script: [
      { ...recordStep, finishOnKey: "" },
      { ...recordStep, recording: recordingOf(2), finishOnKey: "" },
      hangup,
    ],
  },
  "Record whose text somebody waits for": {
    body: `<Record transcribeCallback="/text"/>`,
    script: [{
      ...recordStep,
      recording: {
        ...recordStep.recording,
        memo: {
          transcribe: true,
          transcribeCallback: { url: "https://app.test/text", method: "POST" },
        },
      },
    }, hangup],
  },
  "nothing at all hangs up": { body: "", script: [hangup] },
};

for (const [name, { body, call, script }] of Object.entries(documents)) {
  Deno.test(`compile(): ${name}`, async () => {
    assert.deepEqual(await compiled(body, call), { script, skipped: [] });
  });
}

const flawed: Record<string, { body: string; skipped: string[] }> = {
  "an unknown verb": { body: "<Dance/>", skipped: ["verb Dance"] },
  "verbs are case-sensitive": { body: "<play>/t.wav</play>", skipped: ["verb play"] },
  "an unknown attribute": {
    body: `<Pause color="red"/>`,
    skipped: ['attribute "color" of Pause'],
  },
  "a value out of bounds": {
    body: `<Pause length="-1"/>`,
    skipped: ['value "-1" of attribute "length" of Pause'],
  },
  "an address that is none": {
    body: "<Play>ftp://app.test/x.wav</Play>",
    skipped: ['Play of "ftp://app.test/x.wav": it is no http or https address'],
  },
  "a noun that cannot be called": {
    body: "<Dial><Client>a b</Client></Dial>",
    skipped: [
      'Client "a b" of Dial: it cannot be called',
      "Dial: it names nobody who can be called",
    ],
  },
  "what Record cannot take": {
    body: `<Record finishOnKey="x" trim="yes" timeout="0" maxLength="99999" action="ftp://a/b"/>`,
    skipped: [
      'value "0" of attribute "timeout" of Record',
      'value "x" of attribute "finishOnKey" of Record',
      'value "99999" of attribute "maxLength" of Record',
      'value "yes" of attribute "trim" of Record',
      'action "ftp://a/b" of Record: it is no http or https address',
    ],
  },
  "a recording that was to begin with the ringing": {
    body: `<Dial record="record-from-ringing">client:bob</Dial>`,
    skipped: [
      'value "record-from-ringing" of attribute "record" of Dial: it is recorded from the answer',
    ],
  },
  "a header that would break the message": {
    body: "<Dial><Client>bob?X-A=1%0d%0aVia: x</Client></Dial>",
    skipped: ["a header of Dial that is not X-… or holds CR"],
  },
};

for (const [name, { body, skipped }] of Object.entries(flawed)) {
  Deno.test(`compile() notes ${name} and goes on`, async () => {
    const made = await compiled(body);
    assert.deepEqual(made.skipped, skipped);
    assert.deepEqual(made.script.at(-1), hangup);
  });
}

const broken: Record<string, [text: string, message: RegExp]> = {
  "that is not well-formed": ["<Response><Play></Response>", /Play.*line 1/],
  "with another root": ["<response/>", /the root is "response"/],
  "with two roots": ["<Response/><Response/>", /exactly one root/],
  "that is no XML": ["hello", /char 'h' is not expected/],
  "with a document type": [
    '<!DOCTYPE x [<!ENTITY a "b">]><Response>&a;</Response>',
    /document type/,
  ],
  "of too many verbs": [`<Response>${"<Pause/>".repeat(101)}</Response>`, /more than 100 verbs/],
};

for (const [name, [text, message]] of Object.entries(broken)) {
  Deno.test(`parseDocument() refuses a document ${name}`, () => {
    assert.throws(() => parseDocument(text), message);
  });
}

Deno.test("parseDocument() survives mutated documents", () => {
  const seed =
    `<Response><Play loop="2">a &amp; b</Play><Dial><Client>bob</Client></Dial></Response>`;
  let state = 42;
  const random = (below: number) => (state = (state * 48_271) % 0x7fffffff) % below;
  let refused = 0;
  for (let round = 0; round < 2_000; round++) {
    const at = random(seed.length);
    const piece = seed.slice(random(seed.length)).slice(0, random(12));
    const text = seed.slice(0, at) + piece + seed.slice(at + random(6));
    try {
      assert.ok(Array.isArray(parseDocument(text)));
    } catch (error) {
      assert.match(String(error), /Cannot read the markup document/, text);
      refused++;
    }
  }
  assert.ok(refused > 100 && refused < 2_000, `refused ${refused}`);
});
