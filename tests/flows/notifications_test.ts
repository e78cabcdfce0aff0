import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { messageTaker } from "../../core/messages/take_message.ts";
import { receiveMessage } from "../../core/messages/receive_message.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { takePart } from "../../core/recordings/take_part.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made } from "../support/service/hand_companion.ts";
import { makeSample } from "../support/service/samples.ts";

const password = "pa55-word";
const basic = btoa(`user:${password}`);
const secretUrl = (path: string) => `https://user:${password}@app.test${path}`;
const inboundLeg = "CA" + "e".repeat(32);
const recordingSid = "RE" + "1".repeat(32);
const number = "+14155550150";

/** One way to fail that the customer could mend. */
interface Failure {
  code: number;
  /** 0 unless given. */
  log?: number;
  ports?: Partial<Ports>;
  /** Responses of customers' servers; it may throw. */
  answers?: (request: Request) => Response;
  /** Lets it happen, and happen again as a lost answer or a killed process makes it. */
  happen(app: App): Promise<void>;
  /** Request that its Notification names. */
  request?: { url: string; method: string };
  /** REST request, below the account, that its Notification names, if it names one. */
  asked?: { path: string; sent: Record<string, string> };
  /** A part of the response that the Notification has. */
  body?: string;
  text?: RegExp;
}

/** Two workers side by side, until every retry has come due. */
async function runAll(app: App): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await Promise.all([app.runJobs(), app.runJobs()]);
    app.clock.now += 2 * 3_600_000;
  }
}

async function post(app: App, form: Record<string, string> = {}) {
  const sent = { From: "+15550001", To: "client:alice", Url: secretUrl("/voice"), ...form };
  return (await made(app.root, "Calls", sent)).sid as string;
}

const alice = (app: App) => made(app.root, "Clients", { Login: "alice", Password: "secret" });

/** A call to alice, and its leg. */
async function called(app: App, form: Record<string, string> = {}) {
  await alice(app);
  const leg = companionOf(app, await post(app, form));
  await app.runJobs();
  const inviting = { from: "+15550001", to: "client:alice", sipCallId: "sip-1" };
  await leg.report({ type: "inviting", ...inviting });
  return leg;
}

/** An event of a call, reported three times, twice of these at once. */
const told = (event: LegEvent, form: Record<string, string> = {}) => async (app: App) => {
  const leg = await called(app, form);
  await leg.report(event);
  await Promise.all([leg.repeat(), leg.repeat()]);
};

const answered = told({ type: "answered" });
const voice = { url: "https://app.test/voice", method: "POST" };

/** A document that is requested, whatever the response. */
const document = (answers: Failure["answers"], own: Partial<Failure> = {}): Failure => ({
  code: 11210,
  happen: answered,
  request: voice,
  ...own,
  answers: answers!,
});

const page = (text: string, type = "text/xml", status = 200) => (request: Request) =>
  new Response(text.replace("ECHO", request.headers.get("authorization") ?? ""), {
    status,
    headers: { "content-type": type },
  });

/** A message from alice to whomever, as her companion reports it. */
async function messageTo(app: App, uri: string, times = 1) {
  const { sid: clientSid } = await alice(app);
  const report = { accountSid: app.root.sid, clientSid, login: "alice", uri, body: "hi" };
  const instances = [messageTaker(app.ports), messageTaker(app.ports)];
  for (let i = 0; i < times; i++) await instances[i % instances.length]!(report);
}

async function sms(app: App, to: string) {
  await made(app.root, "SMS/Messages", { From: "+15550001", To: to, Body: "hi" });
  await runAll(app);
}

async function email(app: App) {
  const form = { From: "a@app.test", To: "b@app.test", Subject: "Hi", Body: "hello" };
  await made(app.root, "Email/Messages", form);
  await runAll(app);
}

async function lookUp(app: App) {
  const form = { DeviceIdentifier: "+59899077937", StatusCallback: secretUrl("/geo") };
  await made(app.root, "Geolocation/Immediate", form);
  await runAll(app);
}

async function webhook(app: App) {
  await post(app, { To: "client:nobody", StatusCallback: secretUrl("/events") });
  await runAll(app);
}

const askedCall = { path: "Calls", sent: { From: "+15550001", Url: "https://app.test/voice" } };
const askedEmail = { path: "Email/Messages", sent: { To: "b@app.test", Subject: "Hi" } };
const askedLookUp = { path: "Geolocation/Immediate", sent: { DeviceIdentifier: "+59899077937" } };
const askedSms = (To: string) => ({ path: "SMS/Messages", sent: { To, Body: "hi" } });
const mailer = (error: Error) => ({ mailer: { send: () => Promise.reject(error) } });
const source = (answer: () => Promise<string>) => ({ locationSource: { lookUp: answer } });
const none = { type: "ended", outcome: "failed" } as const;
const events = { url: "https://app.test/events", method: "POST" };

const failures: Record<string, Failure> = {
  "markup that answers 500": document(page("ECHO boom", "text/plain", 500), { body: "boom" }),
  "markup that is out of reach": document(() => {
    const cause = new Error(`request for url (${secretUrl("/voice")}): it broke`);
    throw new TypeError("fetch failed", { cause });
  }, { text: /request for url \(https:\/\/app\.test\/voice\): it broke$/ }),
  "markup that is no XML": document(page("<Response>ECHO<"), { code: 12100, body: "<Response>" }),
  "markup over 64 KiB": document(page(`<Response>${" ".repeat(70_000)}</Response>`), {
    code: 12100,
  }),
  "markup of a wrong type": document(page("{}", "application/json"), { code: 12300, body: "{}" }),
  "markup with an unknown verb": document(page("<Response><Nonsense/></Response>"), {
    code: 12200,
    log: 1,
  }),
  "markup that goes round and round": document(() => new Response(), {
    code: 12400,
    happen: told({
      type: "next",
      action: { url: secretUrl("/next"), method: "POST", hops: limits.documentHops + 1 },
    }),
    request: { url: "https://app.test/next", method: "POST" },
  }),
  "markup of a redirect whose order is lost": {
    code: 11210,
    answers: page("ECHO", "text/plain", 404),
    request: { url: "https://app.test/other", method: "POST" },
    async happen(app) {
      const leg = await called(app, { Url: "https://app.test/voice" });
      const [call] = (await app.root.get("Calls.json")).json().calls;
      app.answers = () => new Response();
      await leg.report({ type: "answered" });
      app.answers = failures["markup of a redirect whose order is lost"]!.answers!;
      const { run } = app.ports.control;
      app.ports.control.run = () => Promise.reject(new Error("nobody heard it"));
      await made(app.root, `Calls/${call.sid}`, { Url: secretUrl("/other") });
      await app.runJobs();
      app.clock.now += 10_000;
      app.ports.control.run = run;
      await app.runJobs();
    },
  },
  "audio that cannot be played": {
    code: 13230,
    happen: told({ type: "problem", url: secretUrl("/a.wav"), message: "it is no WAV" }),
    request: { url: "https://app.test/a.wav", method: "GET" },
  },
  "a webhook that is given up": {
    code: 11200,
    answers: page("ECHO boom", "text/plain", 503),
    happen: webhook,
    request: events,
    body: "boom",
  },
  "a webhook that is refused": {
    code: 11200,
    log: 1,
    answers: page("ECHO gone", "text/plain", 410),
    happen: webhook,
    request: events,
    body: "gone",
  },
  "a Client without a phone": {
    code: 13226,
    happen: told({ ...none, reason: "not-registered" }),
    asked: askedCall,
  },
  "a call that no trunk took": {
    code: 13227,
    happen: told({ ...none, reason: "no-trunk" }),
    asked: askedCall,
  },
  "a call that the carrier refused": {
    code: 13228,
    happen: told({ ...none, sipStatus: 403, detail: "Forbidden; Reason: Q.850;cause=21" }),
    asked: askedCall,
    text: /client:alice: SIP 403 Forbidden; Reason: Q\.850;cause=21$/,
  },
  "a phone without a codec of ours": {
    code: 13236,
    happen: told({ ...none, reason: "no-codec" }),
    asked: askedCall,
  },
  "audio that was lost": {
    code: 13231,
    happen: told({
      ...none,
      reason: "media-lost",
      disconnection: {
        by: "service",
        cause: "media-lost",
        text: "No audio (RTP or RTCP) came for 600 s: RTP_TIMEOUT_S is 600",
      },
    }),
    text: /No audio \(RTP or RTCP\) came for 600 s: RTP_TIMEOUT_S is 600$/,
  },
  "audio of an unknown source": {
    code: 13237,
    log: 1,
    happen: told({ type: "unknownSource", address: "203.0.113.66" }),
    text: /203\.0\.113\.66/,
  },
  "a call to nobody": { code: 13224, happen: webhook, asked: askedCall },
  "a Client that calls nobody": {
    code: 13224,
    async happen(app) {
      const { sid: clientSid } = await alice(app);
      const leg = companionOf(app, inboundLeg);
      const asked = { login: "alice", uri: "sip:nobody@sip.test", sipCallId: "s", headers: {} };
      await leg.report({ type: "incoming", clientSid, ...asked });
      await Promise.all([leg.repeat(), leg.repeat()]);
    },
  },
  "a number without VoiceUrl": {
    code: 13224,
    async happen(app) {
      const { sid: numberSid } = await made(app.root, "IncomingPhoneNumbers", {
        PhoneNumber: number,
      });
      const leg = companionOf(app, inboundLeg);
      const from = { user: "+442079461234", host: "carrier.test" };
      const asked = { dialled: number, from, hops: 0, numberSid, sipCallId: "s", headers: {} };
      await leg.report({ type: "incomingNumber", ...asked });
      await Promise.all([leg.repeat(), leg.repeat()]);
    },
  },
  "a companion out of reach": {
    code: 13244,
    async happen(app) {
      app.ports.control.run = () => Promise.reject(new Error("connection refused"));
      await alice(app);
      await post(app);
      await runAll(app);
    },
    asked: askedCall,
  },
  "a number without SmsUrl": {
    code: 14108,
    async happen(app) {
      await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: number });
      await sms(app, number);
    },
  },
  "a long text of which a part is missing": {
    code: 14109,
    log: 1,
    async happen(app) {
      await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: number });
      const part = { reference: "1", total: 2, at: 1 };
      const arriving = {
        dialled: [number],
        gateway: null,
        from: "+15550002",
        body: "so far",
        part,
      };
      await receiveMessage(arriving, app.ports);
      await receiveMessage(arriving, app.ports);
      await runAll(app);
    },
    text: /from \+15550002 to \+14155550150 has 1 of 2 parts/,
  },
  "a recording that breaks off": {
    code: 13260,
    async happen(app) {
      const call = await post(app);
      const leg = companionOf(app, call);
      const ends = { from: "+15550001", to: "client:alice", sipCallId: "sip-1" };
      await leg.report({ type: "inviting", ...ends });
      await leg.report({ type: "answered" });
      const recording = { sid: recordingSid, accountSid: app.root.sid, serviceContext: {} };
      const sent = { recording, leg: call, channels: 1 as const };
      const end = { ...sent, at: 16_000, data: "", end: "cut" as const };
      await takePart({ ...sent, at: 0, data: new Uint8Array(16_000).toBase64() }, app.ports);
      await Promise.all([takePart(end, app.ports), takePart(end, app.ports)]);
      await takePart(end, app.ports);
    },
    text: new RegExp(`${recordingSid} was cut off after 1 s`),
  },
  "a transcription that cannot be made": {
    code: 13242,
    ports: { transcriber: { transcribe: () => Promise.reject(new Error("connection refused")) } },
    async happen(app) {
      const sid = await makeSample(app, app.root, { name: "recordings" });
      await app.ports.blobs.write(app.root.sid, sid, 0, new Uint8Array(100));
      await made(app.root, `Recordings/${sid}/Transcriptions`, {});
      await runAll(app);
    },
    text: /the server refused the connection/,
  },
  "a message that no route leads to": {
    code: 21612,
    happen: (app) => sms(app, "+15550002"),
    asked: askedSms("+15550002"),
  },
  "a message that its route does not take": {
    code: 30008,
    ports: {
      messageRoutes: [{
        reaches: () => Promise.resolve(true),
        send: () => Promise.reject(new Error("busy")),
      }],
    },
    happen: (app) => sms(app, "+15550002"),
    asked: askedSms("+15550002"),
  },
  "a message to a Client without a phone": {
    code: 13226,
    async happen(app) {
      await alice(app);
      await sms(app, "client:alice");
    },
    asked: askedSms("client:alice"),
  },
  "a message from a Client to nobody": {
    code: 21612,
    happen: (app) => messageTo(app, "sip:nobody@sip.test"),
  },
  "an e-mail that cannot be sent": {
    code: 13250,
    ports: mailer(new Error("connection refused")),
    happen: email,
    asked: askedEmail,
  },
  "an e-mail that is refused": {
    code: 13251,
    ports: mailer(new Fault("emailRefused", "550 no such user")),
    happen: email,
    asked: askedEmail,
  },
  "an e-mail that one of its recipients refuses": {
    code: 13251,
    log: 1,
    ports: { mailer: { send: () => Promise.resolve(["b@app.test"]) } },
    happen: email,
    asked: askedEmail,
  },
  "a look-up without a source": { code: 13240, happen: lookUp, asked: askedLookUp },
  "a look-up whose source is down": {
    code: 13240,
    ports: source(() => Promise.reject(new Error("connection refused"))),
    happen: lookUp,
    asked: askedLookUp,
  },
  "a look-up that is not understood": {
    code: 13240,
    ports: source(() => Promise.resolve("<html>")),
    happen: lookUp,
    asked: askedLookUp,
  },
};

for (const [name, failure] of Object.entries(failures)) {
  Deno.test(`${name} leaves one Notification, however often it happens`, async () => {
    using app = await startApp({ ports: failure.ports ?? {} });
    app.answers = failure.answers ?? (() => new Response());
    await failure.happen(app);

    const { text, json } = await app.root.get("Notifications.json?PageSize=1000");
    const told = json().notifications.filter((one: Record<string, unknown>) =>
      one.error_code === failure.code
    );
    assert.equal(told.length, 1, text);
    const [one] = told;
    assert.equal(one.log, failure.log ?? 0);
    const status = /SIP (\d{3})/.exec(one.message_text)?.[1];
    const about = status === undefined ? "" : `?status=${status}`;
    assert.equal(one.more_info, `http://api.test/errors/${failure.code}${about}`);
    const explained = await app.root.get(new URL(one.more_info).pathname);
    assert.deepEqual([explained.status, explained.text.includes(String(failure.code))], [
      200,
      true,
    ]);
    if (failure.request !== undefined) {
      const { url, method } = failure.request;
      assert.deepEqual([one.request_url, one.request_method], [url, method]);
    }
    if (failure.asked !== undefined) {
      const { path, sent } = failure.asked;
      const address = `http://api.test/2012-04-24/Accounts/${app.root.sid}/${path}`;
      assert.deepEqual([one.request_url, one.request_method], [address, "POST"]);
      const variables = Object.fromEntries(new URLSearchParams(one.request_variables));
      assert.deepEqual(variables, { ...variables, ...sent });
    }
    assert.match(one.message_text, failure.text ?? /: ./);
    assert.ok((one.response_body ?? "").includes(failure.body ?? ""), one.response_body);
    const shown = text + (await app.root.get("Webhooks/Deliveries.json")).text;
    for (const secret of [password, basic, app.root.token]) {
      assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
    }
  });
}

Deno.test("a flood of messages is one Notification, though two instances count it", async () => {
  using app = await startApp();
  await messageTo(app, "sip:alice@sip.test", 2 * limits.messagesOfPair + 10);
  const { notifications } = (await app.root.get("Notifications.json?ErrorCode=14107")).json();
  assert.equal(notifications.length, 1);
});
