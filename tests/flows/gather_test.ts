import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import type { Script } from "../../core/protocol/script.ts";
import { fetchDocument } from "../../core/documents/fetch.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  callOf,
  companionOf,
  made,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

const typedAt = { url: "https://app.test/typed", method: "POST", hops: 0 } as const;

/** A call that was answered, whose first document is this. */
async function answered(app: App, document: () => Response) {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  await made(app.root, "Clients", { Login: "bob", Password: "secret" });
  app.answers = ({ url }) => url.endsWith("/voice") ? document() : xml("<Pause/>");
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "sip-1" });
  return { sid, leg, script: await leg.report({ type: "answered" }) };
}

/** Parameters of the last request of a markup document or a callback. */
const lastForm = async (app: App) => new URLSearchParams(await app.fetched.at(-1)!.clone().text());

const told = (form: URLSearchParams, ...names: string[]) => names.map((name) => form.get(name));

const results: Record<string, { event: object; digits: unknown; speech: unknown[] }> = {
  "digits": { event: { digits: "12*" }, digits: "12*", speech: [null, null] },
  "words": {
    event: { digits: "", speech: { text: "yes please", confidence: 0.9 } },
    digits: null,
    speech: ["yes please", "0.9"],
  },
};

for (const [what, { event, digits, speech }] of Object.entries(results)) {
  Deno.test(`the action of a Gather gets the ${what}, and its response is performed`, async () => {
    using app = await startApp();
    const { sid, leg } = await answered(app, () => xml('<Gather action="typed"/>'));

    const script = await leg.report(
      { type: "gathered", ...event, action: typedAt } as LegEvent,
    );
    const form = await lastForm(app);

    assert.deepEqual(script, [{ type: "silence", seconds: 1 }, {
      type: "hangup",
      cause: "end-of-markup",
    }]);
    assert.deepEqual(told(form, "CallSid", "Digits"), [sid, digits]);
    assert.deepEqual(told(form, "SpeechResult", "Confidence"), speech);
  });
}

Deno.test("digits that had no action of their own go with the next markup request", async () => {
  using app = await startApp();
  const { leg } = await answered(app, () => xml("<Gather/><Redirect>typed</Redirect>"));
  const action = { ...typedAt, digits: "77" };

  await leg.report({ type: "next", action });
  const next = await lastForm(app);
  await leg.report({ type: "gathered", digits: "8", action });
  const gathered = await lastForm(app);

  assert.deepEqual([next.get("Digits"), gathered.get("Digits")], ["77", "8"]);
});

Deno.test("partial speech is sent to the callback of a Gather, once", async () => {
  using app = await startApp();
  const { sid, leg } = await answered(app, () => xml("<Pause/>"));
  const callback = { url: "https://app.test/partial", method: "POST" } as const;
  const partial = { type: "partial", text: "yes", confidence: 0.5, number: 1, callback } as const;

  await leg.report(partial);
  await leg.repeat();
  await app.runJobs();
  const sent = app.fetched.filter(({ url }) => url === callback.url);
  const form = await lastForm(app);

  assert.equal(sent.length, 1);
  assert.deepEqual(
    told(form, "CallSid", "UnstableSpeechResult", "Confidence", "SequenceNumber"),
    [sid, "yes", "0.5", "1"],
  );
});

Deno.test("speech without a recogniser is one Notification", async () => {
  using app = await startApp();
  const { leg } = await answered(app, () => xml("<Pause/>"));
  await leg.report({ type: "problem", url: "", message: "no recogniser", about: "recognition" });
  await leg.repeat();

  assert.deepEqual(await notifications(app), ["Cannot recognize speech: no recogniser"]);
});

const dialBob = '<Dial><Client url="screen" method="GET">bob</Client></Dial>';

/** Bob's leg, which the Dial placed; returns the request when he picks up, and its response. */
async function screening(app: App, answer: Response) {
  const { sid, leg, script } = await answered(app, () => xml(dialBob));
  const [dial] = script;
  assert.ok(dial?.type === "dial");
  const [invitation] = dial.legs;
  assert.equal(invitation?.screened, true);
  app.answers = () => answer;
  const child = companionOf(app, invitation!.leg);
  await child.report({
    type: "inviting",
    parent: sid,
    from: "+15550001",
    to: "client:bob",
    sipCallId: "sip-2",
    serviceContext: invitation!.serviceContext,
  });
  return {
    sid,
    leg,
    child,
    childSid: invitation!.leg,
    script: await child.report({ type: "answered" }),
  };
}

Deno.test("a screened leg gets the markup of its noun, as the call that it is", async () => {
  using app = await startApp();
  const { sid, childSid, script } = await screening(app, xml("<Play>whisper.wav</Play>"));
  const request = app.fetched.at(-1)!;
  const query = new URL(request.url).searchParams;

  assert.equal(request.method, "GET");
  assert.deepEqual(
    told(query, "CallSid", "ParentCallSid", "CallStatus", "Direction", "To", "SipCallId"),
    [childSid, sid, "in-progress", "outbound-dial", "client:bob", "sip-2"],
  );
  assert.deepEqual(script, [
    { type: "play", url: "https://app.test/whisper.wav", loop: 1 },
    { type: "connect" },
  ]);
  assert.equal((await callOf(app, childSid)).status, "in-progress");
});

const screenings: Record<string, { answer: () => Response; script: Script; notice: RegExp }> = {
  "asks for a key": {
    answer: () => xml('<Gather action="key" numDigits="1"/><Hangup/>'),
    script: [{
      type: "gather",
      prompts: [],
      timeoutS: 5,
      keys: { start: "0123456789*#", finish: "#", most: 1 },
      action: { url: "https://app.test/key", method: "POST", hops: 1 },
    }, { type: "hangup" }],
    notice: /^$/,
  },
  "says nothing": {
    answer: () => new Response(null, { status: 204 }),
    script: [{ type: "connect" }],
    notice: /^$/,
  },
  "cannot be had": {
    answer: () => new Response("gone", { status: 500 }),
    script: [{ type: "hangup", cause: "document-failed" }],
    notice: /the server answered 500/,
  },
};

for (const [what, { answer, script: wanted, notice }] of Object.entries(screenings)) {
  Deno.test(`a screening that ${what} is performed as it must be`, async () => {
    using app = await startApp();
    const { script } = await screening(app, answer());

    assert.deepEqual(script, wanted);
    assert.match((await notifications(app)).join(), notice);
  });
}

Deno.test("the action of a Gather in a screening may let the leg through", async () => {
  using app = await startApp();
  const { child } = await screening(app, xml('<Gather action="key"/><Hangup/>'));
  app.answers = () => xml("");
  const script = await child.report({ type: "gathered", digits: "1", action: typedAt });

  assert.deepEqual(script, [{ type: "connect" }]);
});

const play: Script = [{ type: "play", url: "https://app.test/voice", loop: 1 }, {
  type: "hangup",
  cause: "end-of-markup",
}];
const pause: Script = [{ type: "silence", seconds: 1 }, { type: "hangup", cause: "end-of-markup" }];
const nothing: Script = [{ type: "hangup", cause: "end-of-markup" }];
const failed: Script = [{ type: "hangup", cause: "document-failed" }];
const document = "<Response><Pause/></Response>";

const kinds: [type: string | null, body: string | null, script: Script, notice: RegExp][] = [
  ["text/xml", document, pause, /^$/],
  ["application/xml; charset=utf-8", document, pause, /^$/],
  ["Application/XML", document, pause, /^$/],
  ["application/vnd.app+xml", document, pause, /^$/],
  ["audio/wav", "RIFF", play, /^$/],
  ["audio/mpeg", "ID3", play, /^$/],
  ["Audio/WAV", "RIFF".repeat(20_000), play, /^$/],
  ["text/xml", "  \n ", nothing, /^$/],
  [null, null, nothing, /^$/],
  ["text/html; charset=UTF-8", document, pause, /^$/],
  ["text/html", "<html/>", failed, /content type.*text\/html/],
  ["application/json", "{}", failed, /content type.*application\/json/],
  [null, document, failed, /content type.*the response has no Content-Type/],
  ["text/xml", "<response/>", failed, /the root is "response"/],
  ["text/xml", `<!DOCTYPE x><Response/>`, failed, /document type/],
  ["text/xml", `<Response>${" ".repeat(64 << 10)}</Response>`, failed, /larger than 64 KiB/],
  ["text/xml", `<Response>${"<Pause/>".repeat(101)}</Response>`, failed, /more than 100 verbs/],
];

for (const [type, body, wanted, notice] of kinds) {
  Deno.test(`an answer of ${type}, ${(body ?? "empty").slice(0, 20).trim()}, is read as it must be`, async () => {
    using app = await startApp();
    const headers = new Headers();
    // A text body brings a type of its own.
    const bytes = body === null ? null : new TextEncoder().encode(body);
    if (type !== null) headers.set("content-type", type);
    const { script } = await answered(app, () => new Response(bytes, { headers }));

    assert.deepEqual(script, wanted);
    assert.match((await notifications(app)).join(), notice);
  });
}

/** A document with "é", which is not in ASCII and differs from encoding to encoding. */
const accented = (declared = "") => `${declared}<Response><Say>\u00e9</Say></Response>`;
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) =>
  Uint8Array.from([...`\ufeff${text}`].flatMap((letter) => {
    const code = letter.charCodeAt(0);
    return [code & 0xff, code >> 8];
  }));
const declared = '<?xml version="1.0" encoding="ISO-8859-1"?>';
const unknown = '<?xml version="1.0" encoding="klingon"?>';

for (
  const [what, type, body] of [
    ["UTF-8 where nothing is said", "text/xml", utf8(accented())],
    [
      "UTF-8 behind its mark, whatever else is said",
      "text/xml; charset=latin1",
      utf8(`\ufeff${accented(declared)}`),
    ],
    ["its charset", "text/xml; charset=ISO-8859-1", latin1(accented())],
    [
      "its charset in quotes, before its declaration",
      'text/xml; charset="utf-8"',
      utf8(accented(declared)),
    ],
    ["its declaration", "application/xml", latin1(accented(declared))],
    [
      "UTF-16 by its mark",
      "application/xml",
      utf16(accented('<?xml version="1.0" encoding="utf-16"?>')),
    ],
    ["UTF-8 where its declaration is unknown", "text/xml", utf8(accented(unknown))],
    ["UTF-8 where its charset is unknown", "text/xml; charset=klingon", utf8(accented())],
  ] as const
) {
  Deno.test(`a document is read in ${what}`, async () => {
    using app = await startApp();
    const { script } = await answered(
      app,
      () => new Response(body, { headers: { "content-type": type } }),
    );
    const [say] = script;
    assert.equal(say?.type === "say" && say.text, "\u00e9");
  });
}

Deno.test("an answer of text/plain stands for a Say of it", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  app.answers = () =>
    new Response(" Hello <you> & me\n", { headers: { "content-type": "text/plain" } });
  const source = { url: "https://app.test/voice", method: "POST", params: {} } as const;
  const signal = new AbortController().signal;
  const { verbs } = await fetchDocument(
    source,
    { authToken: "t", tenant: "AC1", signal },
    app.ports,
  );

  assert.deepEqual(verbs, [
    { name: "Say", attributes: {}, children: [], text: "Hello <you> & me" },
  ]);
});
