import assert from "node:assert/strict";
import { limits } from "../../../core/base/limits.ts";
import { parseDocument } from "../../../core/markup/parse.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { compiled, inbound } from "../../support/service/compile_lab.ts";

const hangup = { type: "hangup", cause: "end-of-markup" };

/** A Hangup in the markup. */
const byVerb = { type: "hangup" };
const leg = (login: string, number = 1) => ({
  leg: "CA" + String(number).padStart(32, "0"),
  accountSid: "AC1",
  from: "+15550001",
  to: `client:${login}`,
  target: { kind: "client", login },
});
const gathered = {
  type: "gather",
  prompts: [],
  timeoutS: 5,
  keys: { start: "0123456789*#", finish: "#", most: 1_000 },
};
const dialled = { type: "dial", media: "anchored", timeoutS: 30, timeLimitS: 14_400 };

const recordingOf = (number: number) => ({
  sid: "RE" + String(number).padStart(32, "0"),
  accountSid: "AC1",
});
const ofVerb = { source: "RecordVerb", track: "inbound" };
const recordStep = {
  type: "record",
  recording: { ...recordingOf(1), serviceContext: ofVerb },
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
  "Say has its text in one line, entities decoded": {
    body:
      `<Say voice="man" language="de-DE" loop="2">  Guten\n  Tag &amp; &lt;auf&gt; Wiederh&#246;ren </Say>`,
    script: [{
      type: "say",
      text: "Guten Tag & <auf> Wiederhören",
      voice: "man",
      language: "de-DE",
      loop: 2,
    }, hangup],
  },
  "Pause has a length of one second": {
    body: `<Pause/><Pause length="3"/>`,
    script: [{ type: "silence", seconds: 1 }, { type: "silence", seconds: 3 }, hangup],
  },
  "Pause with music is heard, so it answers": {
    body: `<Pause length="2" music="true"/>`,
    call: inbound,
    script: [{ type: "answer" }, { type: "silence", seconds: 2, music: true }, hangup],
  },
  "Refer answers, and names one Sip": {
    body: `<Refer action="/done" method="get"><Sip>sip:bob@sip.test?X-A=1</Sip></Refer>`,
    call: inbound,
    script: [
      { type: "answer" },
      {
        type: "refer",
        to: "sip:bob@sip.test",
        leaves: false,
        headers: { "X-A": "1" },
        action: { url: "https://app.test/done", method: "GET", hops: 1 },
      },
      hangup,
    ],
  },
  "Refer to a number leaves the service": {
    body: `<Refer><Uri>tel:+15550002</Uri></Refer>`,
    script: [{ type: "refer", to: "+15550002", leaves: true }, hangup],
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
        serviceContext: {
          statusCallback: "https://app.test/cb",
          statusCallbackMethod: "POST",
          statusCallbackEvent: "ringing",
        },
      }],
      hangupOnStar: false,
    }, hangup],
  },
  "Play sends digits in place of a sound": {
    body: `<Play digits="1ww2#a"/><Play digits="W" loop="0">never.wav</Play>`,
    script: [
      { type: "digits", digits: "1ww2#A", loop: 1 },
      { type: "digits", digits: "W", loop: 0 },
      hangup,
    ],
  },
  "Gather with its defaults": {
    body: `<Gather/>`,
    call: inbound,
    script: [{ type: "answer" }, gathered, hangup],
  },
  "Gather plays what is inside it": {
    body: `<Gather action="typed"><Play>a.wav</Play><Pause/><Play digits="1"/></Gather><Hangup/>`,
    script: [
      {
        ...gathered,
        prompts: [
          { type: "play", url: "https://app.test/voice/a.wav", loop: 1 },
          { type: "silence", seconds: 1 },
          { type: "digits", digits: "1", loop: 1 },
        ],
        action: { url: "https://app.test/voice/typed", method: "POST", hops: 1 },
      },
      byVerb,
    ],
  },
  "Gather of words": {
    body:
      `<Gather input="speech" language="de-DE" hints="ja, nein ,," partialResultCallback="/part" partialResultCallbackMethod="GET"/>`,
    script: [
      {
        type: "gather",
        prompts: [],
        timeoutS: 5,
        speech: {
          language: "de-DE",
          hints: ["ja", "nein"],
          partials: { url: "https://app.test/part", method: "GET" },
        },
      },
      hangup,
    ],
  },
  "Dial screens whom it calls, and sends digits first": {
    body: `<Dial><Number url="screen" method="GET" sendDigits="w1#">+15550002</Number></Dial>`,
    script: [
      {
        ...dialled,
        legs: [{
          leg: "CA" + "1".padStart(32, "0"),
          accountSid: "AC1",
          from: "+15550001",
          to: "+15550002",
          target: { kind: "trunk", dialled: "+15550002", routes: [] },
          sendDigits: "w1#",
          screened: true,
          serviceContext: { url: "https://app.test/voice/screen", method: "GET" },
        }],
        hangupOnStar: false,
      },
      hangup,
    ],
  },
  "the end of a document for a leg that a dial placed goes back to the dial": {
    body: `<Pause/>`,
    call: { direction: "outbound-dial", status: "in-progress" },
    script: [{ type: "silence", seconds: 1 }, { type: "connect" }],
  },
  "Hangup for such a leg is a hang-up": {
    body: `<Hangup/>`,
    call: { direction: "outbound-dial", status: "in-progress" },
    script: [byVerb],
  },
  "a Dial is no answer, and what comes after it is answered": {
    body: `<Dial><Client>bob</Client></Dial><Play>/t.wav</Play>`,
    call: inbound,
    script: [
      { ...dialled, legs: [leg("bob")], hangupOnStar: false },
      { type: "answer" },
      { type: "play", url: "https://app.test/t.wav", loop: 1 },
      hangup,
    ],
  },
  "Reject after a Pause still refuses": {
    body: `<Pause/><Reject/>`,
    call: inbound,
    script: [{ type: "silence", seconds: 1 }, { type: "reject", status: 603 }],
  },
  "Hangup first answers": {
    body: `<Hangup/>`,
    call: inbound,
    script: [{ type: "answer" }, byVerb],
  },
  "a call that was answered is not answered again": {
    body: `<Play>/t.wav</Play>`,
    call: { direction: "inbound", status: "in-progress" },
    script: [{ type: "play", url: "https://app.test/t.wav", loop: 1 }, hangup],
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
          serviceContext: {
            source: "DialVerb",
            track: "both",
            statusCallback: { url: "https://app.test/rec", method: "GET" },
          },
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
        serviceContext: {
          ...ofVerb,
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
      { ...recordStep, recording: { ...recordingOf(2), serviceContext: ofVerb }, finishOnKey: "" },
      hangup,
    ],
  },
  "Record whose text somebody waits for": {
    body: `<Record transcribeCallback="/text"/>`,
    script: [{
      ...recordStep,
      recording: {
        ...recordStep.recording,
        serviceContext: {
          ...ofVerb,
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
  "a Refer that names nobody, or several": {
    body: "<Refer/><Refer><Sip>bob</Sip><Sip>sip:bob@sip.test</Sip><Number>1</Number></Refer>",
    skipped: [
      "Refer: it needs a Sip or Uri noun with an address",
      "Sip of Refer: it takes one Sip",
      "Number of Refer: it takes one Sip",
      'Sip "bob" of Refer: it cannot be called',
    ],
  },
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
  "an address whose host is longer than DNS allows": {
    body: `<Play>https://${"a".repeat(254)}/</Play>`,
    skipped: [`Play of "https://${"a".repeat(254)}/": it is no http or https address`],
  },
  "a noun that cannot be called": {
    body: "<Dial><Client>a b</Client></Dial>",
    skipped: [
      'Client "a b" of Dial: it cannot be called',
      "Dial: it has no destination that can be called",
    ],
  },
  "what cannot stand in a Gather": {
    body: "<Gather><Dial>bob</Dial><Hangup/></Gather>",
    skipped: ["Dial in Gather", "Hangup in Gather"],
  },
  "an action that is no address": {
    body: '<Gather action="ftp://app.test/x"/><Dial action="mailto:x"><Client>bob</Client></Dial>',
    skipped: [
      'action "ftp://app.test/x" of Gather: it is no http or https address',
      'action "mailto:x" of Dial: it is no http or https address',
    ],
  },
  "a screening that is no address": {
    body: '<Dial><Client url="ftp://x" statusCallback="gopher://x">bob</Client></Dial>',
    skipped: [
      'url "ftp://x" of Client: it is no http or https address',
      'statusCallback "gopher://x" of Client: it is no http or https address',
    ],
  },
  "digits of another noun than Number": {
    body: '<Dial><Client sendDigits="1">bob</Client></Dial>',
    skipped: ['attribute "sendDigits" of Client'],
  },
  "an attribute that is a name of every object": {
    body: '<Pause isPrototypeOf="x"/>',
    skipped: ['attribute "isPrototypeOf" of Pause'],
  },
  "more prompts than a Gather may have": {
    body: `<Gather>${"<Pause/>".repeat(101)}</Gather>`,
    skipped: ["what is in Gather after the first 100"],
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
  "elements where there is text alone": {
    body: `<Say>Hello <b>dear</b> caller</Say><Record><Say>x</Say></Record>` +
      `<Enqueue>sales<Task>{}</Task></Enqueue><Dial><Client>bob<Parameter/></Client></Dial>`,
    skipped: [
      "b in Say: its text is spoken without it",
      "Say in Record",
      "Task in Enqueue: there are no task routers here",
      "a header of Dial that is not X-… or holds CR",
    ],
  },
  "text where there are elements": {
    body: `<Gather>Press one<Say>Press two</Say></Gather>`,
    skipped: ['the text "Press one" of Gather: it says what a Say in it has'],
  },
  "attributes of the Sip in Refer": {
    body: `<Refer><Sip username="me">sip:carol@sip.test</Sip></Refer>`,
    skipped: ['attribute "username" of Sip'],
  },
};

for (const [name, { body, skipped }] of Object.entries(flawed)) {
  Deno.test(`compile() notes ${name} and goes on`, async () => {
    const made = await compiled(body);
    assert.deepEqual(made.skipped, skipped);
    assert.deepEqual(made.script.at(-1), hangup);
  });
}

const failed = { DialCallStatus: "failed", DialCallDuration: "0" };
const notPerformed: Record<string, [verb: string, params: Record<string, string>]> = {
  "a Dial of nobody": [`<Dial action="done"/>`, failed],
  "a Dial of what cannot be called": [`<Dial action="done"><Sip>rubbish</Sip></Dial>`, failed],
  "a Dial of a Queue without a name": [`<Dial action="done"><Queue/></Dial>`, failed],
  "an Enqueue without a name": [`<Enqueue action="done"/>`, { QueueResult: "error" }],
  "a Refer to nobody": [`<Refer action="done"/>`, { ReferCallStatus: "failed" }],
};

for (const [name, [body, params]] of Object.entries(notPerformed)) {
  Deno.test(`compile() has the action of ${name} told that it failed`, async () => {
    const { script } = await compiled(body);
    const next = script.find(({ type }) => type === "next");
    const url = "https://app.test/voice/done";
    assert.deepEqual(next, { type: "next", action: { url, method: "POST", hops: 1, params } });
  });
}

const broken: Record<string, [text: string, message: RegExp]> = {
  "with a bare &": [
    "<Response><Play>https://a.test/x?a=1&b=2</Play></Response>",
    /'&' is not expected\. Write & as &amp;/,
  ],
  "that is not well-formed": ["<Response><Play></Response>", /Play.*line 1/],
  "with another root": ["<response/>", /the root is "response"/],
  "with two roots": ["<Response/><Response/>", /exactly one root/],
  "that is no XML": ["hello", /char 'h' is not expected/],
  "with a document type": [
    '<!DOCTYPE x [<!ENTITY a "b">]><Response>&a;</Response>',
    /document type/,
  ],
  "of an entity that is declared": ['<!ENTITY a "b"><Response/>', /document type/],
  "that is nested too deeply": [
    `<Response>${"<a>".repeat(400)}${"</a>".repeat(400)}</Response>`,
    /nested tags/,
  ],
  "with a name that the parser refuses": ["<Response><__proto__/></Response>", /__proto__/],
  "of too many elements": [
    `<Response><Dial>${"<Client/>".repeat(500)}</Dial></Response>`,
    /more than 500 elements/,
  ],
  "of far too many elements": [
    `<Response>${"<a/>".repeat(16_000)}</Response>`,
    /than 500 elements/,
  ],
  "of too many attributes": [
    `<Response><Say ${Array.from({ length: 2_001 }, (_, n) => `a${n}='x'`).join(" ")}/></Response>`,
    /more than 2000 attributes/,
  ],
  "of too many verbs": [`<Response>${"<Pause/>".repeat(101)}</Response>`, /more than 100 verbs/],
};

for (const [name, [text, message]] of Object.entries(broken)) {
  Deno.test(`parseDocument() refuses a document ${name}`, () => {
    assert.throws(() => parseDocument(text), message);
  });
}

Deno.test("compile() cuts a text that is too long for Say at a word, and notes it", async () => {
  const text = "word ".repeat(limits.sayLength / 5 + 10).trim();
  const { script, skipped } = await compiled(`<Say>${text}</Say><Say> </Say>`);
  const [step] = script;
  assert.ok(step?.type === "say");
  assert.equal(step.text, "word ".repeat(limits.sayLength / 5).trim());
  assert.deepEqual(skipped, [
    `the text of Say after 10000 characters: it has ${text.length}`,
    "Say: it has no text",
  ]);
  assert.equal(script.length, 2);
});

Deno.test("parseDocument() parses a text once, until many others came, and a long one each time", () => {
  const documentOf = (text: string) => `<Response><Say>${text}</Say></Response>`;
  const first = parseDocument(documentOf("again"));
  assert.equal(parseDocument(documentOf("again")), first);
  assert.equal(parseDocument(documentOf("another"))[0]!.text, "another");

  for (let n = 0; n < 100; n++) parseDocument(documentOf(String(n).repeat(500)));
  assert.notEqual(parseDocument(documentOf("again")), first);
  assert.deepEqual(parseDocument(documentOf("again")), first);

  const long = documentOf("long ".repeat(400));
  assert.notEqual(parseDocument(long), parseDocument(long));
});
