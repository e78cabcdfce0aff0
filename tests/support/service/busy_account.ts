import { randomBytes } from "node:crypto";
import { newBase, withDefaults } from "../../../core/model/resource.ts";
import type { Trace } from "../../../core/protocol/traces.ts";
import { wavHeader } from "../../../core/recordings/wav_header.ts";
import { type Call, calls } from "../../../core/resources/calls.ts";
import { deliveries, type Delivery } from "../../../core/resources/deliveries.ts";
import {
  type DocumentRequest,
  documentRequests,
} from "../../../core/resources/document_requests.ts";
import { type Notification, notifications } from "../../../core/resources/notifications.ts";
import { type Recording, recordings } from "../../../core/resources/recordings.ts";
import { transcriptions } from "../../../core/resources/transcriptions.ts";
import { faults } from "../../../core/base/faults.ts";
import type { App } from "./app.ts";
import { callCentre } from "./flow_samples.ts";
import { makeParticipant, makeSample, sampleBinding } from "./samples.ts";
import { dice } from "./store_lab.ts";

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** What pages of a busy account are looked at with. */
export interface BusyAccount {
  /** A call that lasts, and calls that ended: answered with everything, refused, without markup. */
  live: string;
  whole: string;
  refused: string;
  broken: string;
  /** A record of each kind that has a page, by the path of its resource. */
  sids: Record<string, string>;
  team: { sid: string };
}

const server = "https://voice.example.com";
const agents = ["ana.moreno", "bilal", "front-desk-reception-2nd-floor", "dispatch"];

/** Everything at the console that is made from calls, with the dates of a real week. */
export async function fillAccount(app: App): Promise<BusyAccount> {
  const roll = dice(11);
  const now = app.clock.now;
  const built = await build(app);
  app.clock.now = now - 6.9 * dayMs;
  for (
    let at = now - 6.9 * dayMs;
    at < now - 2 * minuteMs;
    at += hourMs / 2 + roll(40) * minuteMs
  ) {
    app.clock.now = at;
    await ordinaryCall(app, roll);
  }
  for (let minute = 55; minute > 2; minute -= 2 + roll(4)) {
    app.clock.now = now - minute * minuteMs;
    await ordinaryCall(app, roll);
  }
  app.clock.now = now - dayMs - 2 * hourMs;
  const broken = await brokenCall(app);
  app.clock.now = now - 26 * minuteMs;
  const refused = await refusedCall(app);
  app.clock.now = now - 12 * minuteMs;
  const whole = await wholeCall(app);
  app.clock.now = now;
  const live = await goingOn(app);
  await write(app, roll);
  app.clock.now = now;
  return {
    live,
    whole: whole.sid,
    refused,
    broken,
    ...built,
    sids: { ...built.sids, ...whole.sids },
  };
}

async function insertCall(app: App, sent: Partial<Call>): Promise<Call> {
  const call = { ...newBase(calls, app.root.sid, app.ports), ...withDefaults(calls, sent) } as Call;
  const priceMicros = Number(call.price ?? 0) * 1e6;
  await app.ports.records.calls.insert({
    record: call,
    ...priceMicros > 0 && {
      charges: [{
        category: "calls",
        priceMicros: Math.round(priceMicros),
        usage: Math.ceil((call.duration ?? 0) / 60),
        at: call.endTime ?? app.clock.now,
      }],
    },
  });
  return call;
}

/** A call of a usual day: most are answered. */
async function ordinaryCall(app: App, roll: (below: number) => number): Promise<void> {
  const startTime = app.clock.now;
  const status = ([
    ...Array(14).fill("completed"),
    "busy",
    "no-answer",
    "no-answer",
    "canceled",
    "failed",
  ] as Call["status"][])[roll(19)]!;
  const isIn = roll(3) > 0;
  const outside = `+1${212 + roll(7) * 101}555${String(roll(10_000)).padStart(4, "0")}`;
  const inside = roll(2) ? "+12125550100" : `client:${agents[roll(4)]}`;
  const duration = status === "completed" ? 8 + roll(900) : null;
  const call = await insertCall(app, {
    from: isIn ? outside : "+12125550100",
    to: isIn ? inside : outside,
    status,
    startTime,
    answeredAt: duration === null ? null : startTime + 700 + roll(9_000),
    endTime: startTime + (duration ?? 25) * 1_000,
    duration,
    price: duration === null ? null : (Math.ceil(duration / 60) * 0.0085).toFixed(4),
    direction: isIn ? "inbound" : "outbound-api",
  });
  if (roll(3) === 0) await deliver(app, call, roll(12) === 0 ? "failed" : "delivered");
  if (status === "failed" || roll(9) === 0) {
    await notice(app, { callSid: call.sid, ...troubles[roll(troubles.length)] });
  }
}

/** What goes wrong on a usual day. */
const troubles: readonly Partial<Notification>[] = [
  {
    errorCode: faults.documentUnreachable.code,
    messageText: "Cannot fetch the markup document: the server answered 502",
    requestUrl: `${server}/ivr/main-menu`,
  },
  {
    errorCode: faults.documentInvalid.code,
    messageText:
      "Cannot read the markup document: Cannot parse XML at line 3: the element Gather is not closed",
    requestUrl:
      `${server}/ivr/opening-hours?locale=en-GB&department=customer-success&return=%2Fivr%2Fmain-menu`,
  },
  {
    errorCode: 13224,
    messageText:
      "Cannot route the call: the address has no destination: no Gateway takes +99912345",
  },
];

async function notice(app: App, sent: Partial<Notification>): Promise<void> {
  const record: Notification = {
    ...newBase(notifications, app.root.sid, app.ports),
    callSid: null,
    apiVersion: "2012-04-24",
    log: 0,
    errorCode: 11210,
    moreInfo: `/errors/${sent.errorCode ?? 11210}`,
    messageText: "",
    messageDate: app.clock.now,
    requestUrl: null,
    requestMethod: "POST",
    requestVariables:
      "CallSid=CA019f2b7c0d1e4c5f8a9b0c1d2e3f4a5b&From=%2B12125550177&To=%2B12125550100",
    responseHeaders: "content-type: text/html\nserver: nginx",
    responseBody: "<html><body><h1>502 Bad Gateway</h1></body></html>",
    requestId: "7f1c2f0e",
    ...sent,
  };
  await app.ports.records.notifications.insert({ record });
}

async function deliver(app: App, call: Call, status: Delivery["status"]): Promise<Delivery> {
  const startTime = app.clock.now + 900;
  const good = {
    startTime,
    duration: 41,
    status: 200,
    responseHeaders: "content-type: text/plain",
    responseBody: "ok",
    error: null,
  };
  const bad = {
    ...good,
    duration: 15_000,
    status: null,
    responseHeaders: null,
    responseBody: null,
    error: "no complete response within 15 s",
  };
  const attempts = status === "delivered"
    ? [good]
    : status === "failed"
    ? Array.from({ length: 6 }, (_, at) => ({ ...bad, startTime: startTime + 20_000 * 2 ** at }))
    : [];
  const record: Delivery = {
    ...newBase(deliveries, app.root.sid, app.ports),
    status,
    url: `${server}/events/call-status?tenant=acme&environment=production`,
    method: "POST",
    requestVariables: {
      CallSid: call.sid,
      CallStatus: call.status,
      From: call.from,
      To: call.to,
      Direction: call.direction,
    },
    event: "call.completed",
    callSid: call.sid,
    messageSid: null,
    attemptCount: attempts.length,
    attempts,
    startTime,
    apiVersion: "2012-04-24",
    requestId: null,
    credentials: null,
  };
  await app.ports.records.deliveries.insert({ record });
  return record;
}

async function document(
  app: App,
  callSid: string,
  sent: Partial<DocumentRequest>,
): Promise<string> {
  const record: DocumentRequest = {
    ...newBase(documentRequests, app.root.sid, app.ports),
    callSid,
    url: `${server}/ivr/main-menu`,
    method: "POST",
    requestVariables: {
      CallSid: callSid,
      From: "+12125550177",
      To: "+12125550100",
      CallStatus: "in-progress",
    },
    startTime: app.clock.now,
    duration: 38,
    status: 200,
    responseHeaders: "content-type: text/xml",
    responseBody: '<Response><Say>Welcome to Acme.</Say><Gather numDigits="1"/></Response>',
    verbs: "Say, Gather",
    skipped: null,
    error: null,
    ...sent,
  };
  await app.ports.records.documentRequests.insert({ record });
  return record.sid;
}

/** Yesterday's call whose second markup could not be fetched. */
async function brokenCall(app: App): Promise<string> {
  const startTime = app.clock.now;
  const call = await insertCall(app, {
    from: "+14155550142",
    to: "+12125550100",
    status: "completed",
    startTime,
    answeredAt: startTime + 320,
    endTime: startTime + 19_400,
    duration: 19,
    price: "0.0085",
    direction: "inbound",
  });
  await document(app, call.sid, { startTime: startTime + 40 });
  app.clock.now = startTime + 19_000;
  const url = `${server}/ivr/billing`;
  const messageText = "Cannot fetch the markup document: the server answered 502";
  await document(app, call.sid, {
    url,
    startTime: startTime + 18_700,
    status: 502,
    duration: 312,
    requestVariables: { CallSid: call.sid, Digits: "2", From: call.from, To: call.to },
    responseHeaders: "content-type: text/html\nserver: nginx",
    responseBody: "<html><body><h1>502 Bad Gateway</h1></body></html>",
    verbs: "",
    error: messageText,
  });
  await notice(app, { callSid: call.sid, errorCode: 11210, messageText, requestUrl: url });
  await deliver(app, call, "delivered");
  return call.sid;
}

/** A call that the carrier refused. */
async function refusedCall(app: App): Promise<string> {
  const startTime = app.clock.now;
  const call = await insertCall(app, {
    from: "+12125550100",
    to: "+442079460018",
    status: "failed",
    startTime,
    endTime: startTime + 1_900,
    direction: "outbound-api",
  });
  const ends = {
    transport: "TLS",
    local: { host: "192.0.2.1", port: 5061 },
    remote: { host: "198.51.100.7", port: 5061 },
  } as const;
  const message = (at: number, direction: "sent" | "received", first: string) => ({
    ...ends,
    at: startTime + at,
    direction,
    text:
      `${first}\r\nVia: SIP/2.0/TLS 192.0.2.1:5061;branch=z9hG4bK7d8a\r\nCall-ID: 6f2d@sip.test\r\nCSeq: 1 INVITE\r\n\r\n`,
  });
  const trace: Trace = {
    dropped: 0,
    messages: [
      message(40, "sent", "INVITE sip:+442079460018@sip.carrier.example SIP/2.0"),
      message(62, "received", "SIP/2.0 100 Trying"),
      message(410, "received", "SIP/2.0 183 Session Progress"),
      message(1_870, "received", "SIP/2.0 503 Service Unavailable"),
      message(1_880, "sent", "ACK sip:+442079460018@sip.carrier.example SIP/2.0"),
    ],
  };
  await app.ports.sipTraces.put({ accountSid: app.root.sid, sid: call.sid }, trace, dayMs);
  await deliver(app, call, "failed");
  return call.sid;
}

/** A call with a leg, input, a recording with its text, callbacks and something skipped. */
async function wholeCall(app: App) {
  const startTime = app.clock.now;
  const call = await insertCall(app, {
    from: "+12125550177",
    to: "+12125550100",
    callerName: "Grace Hopper",
    status: "completed",
    startTime,
    answeredAt: startTime + 640,
    endTime: startTime + 184_000,
    duration: 183,
    price: "0.0340",
    direction: "inbound",
  });
  const documentSid = await document(app, call.sid, {
    startTime: startTime + 60,
    skipped: "verb Fax; attribute voice of Say",
    verbs: "Say, Gather, Fax",
  });
  app.clock.now = startTime + 9_000;
  await document(app, call.sid, {
    url: `${server}/ivr/sales`,
    requestVariables: { CallSid: call.sid, Digits: "1", From: call.from, To: call.to },
    verbs: "Dial",
    duration: 22,
  });
  await insertCall(app, {
    parentCallSid: call.sid,
    from: call.from,
    to: "client:ana.moreno",
    status: "completed",
    startTime: startTime + 9_100,
    answeredAt: startTime + 14_000,
    endTime: startTime + 183_900,
    duration: 170,
    direction: "outbound-dial",
  });
  const recording: Recording = {
    ...newBase(recordings, app.root.sid, app.ports),
    callSid: call.sid,
    duration: 4.25,
    apiVersion: "2012-04-24",
    fileUri: null,
    status: "completed",
    s3Uri: null,
    channels: 1,
    statusCallback: null,
    transcribe: true,
    transcribeCallback: null,
    isStored: true,
    source: "DialVerb",
    track: "both",
    conferenceSid: null,
    halt: null,
  };
  await app.ports.records.recordings.insert({ record: recording });
  const samples = Int16Array.from(
    { length: 34_000 },
    (_, at) => 9_000 * Math.sin(at / 9) * Math.abs(Math.sin(at / 2_600)) ** 3,
  );
  const wav = new Uint8Array(44 + samples.byteLength);
  wav.set(wavHeader(1, samples.byteLength));
  wav.set(new Uint8Array(samples.buffer), 44);
  await app.ports.blobs.write(app.root.sid, recording.sid, 0, wav);
  const text = {
    ...newBase(transcriptions, app.root.sid, app.ports),
    status: "completed" as const,
    recordingSid: recording.sid,
    duration: 4.25,
    transcriptionText:
      "Hello, this is Grace. I would like to order forty of the large ones, to be delivered on Friday.",
    price: "0.05",
  };
  await app.ports.records.transcriptions.insert({
    record: text,
    charges: [{ category: "transcriptions", priceMicros: 50_000, usage: 1, at: app.clock.now }],
  });
  const delivery = await deliver(app, { ...call }, "delivered");
  return {
    sid: call.sid,
    sids: {
      Recordings: recording.sid,
      Transcriptions: text.sid,
      "Webhooks/Documents": documentSid,
      "Webhooks/Deliveries": delivery.sid,
    },
  };
}

/** A call in a conference, another in a queue, one that rings. */
async function goingOn(app: App): Promise<string> {
  const { clock, ports, root } = app;
  const companion = { id: "sip-1.fra.internal", runId: "run" };
  await ports.companions.beat({ ...companion, seenAt: clock.now, registered: 7 });
  const live = async (from: string, to: string, sent: Partial<Call>) => {
    const startTime = clock.now - 95_000;
    const call = {
      from,
      to,
      startTime,
      companion,
      sipCallId: randomBytes(6).toString("hex"),
      direction: "inbound" as const,
      ...sent,
    };
    return await insertCall(app, call);
  };
  const one = await live("+13105550123", "+12125550100", {
    status: "in-progress",
    answeredAt: clock.now - 90_000,
  });
  const two = await live("+12125550188", "client:bilal", {
    status: "in-progress",
    answeredAt: clock.now - 80_000,
  });
  const waiting = await live("+16175550111", "+12125550100", {
    status: "in-progress",
    answeredAt: clock.now - 70_000,
  });
  await live("+12125550100", "+442079460018", { status: "ringing", direction: "outbound-api" });
  await document(app, one.sid, { startTime: one.startTime! + 50 });
  const room = await makeSample(app, root, { name: "conferences" });
  await makeParticipant(app, room, one.sid);
  const member = {
    hold: false,
    startOnEnter: true,
    endOnExit: false,
    hasJoined: true,
    at: clock.now - 60_000,
  };
  await ports.records.conferences.update(root.sid, room, (before) => ({
    record: {
      ...before,
      friendlyName: "Weekly sales review",
      status: "in-progress",
      companion,
      begun: true,
      members: [{ callSid: one.sid, muted: false, ...member }, {
        callSid: two.sid,
        muted: true,
        ...member,
      }],
    },
  }));
  await ports.records.queues.insert({
    record: {
      sid: ports.newSid("QU"),
      accountSid: root.sid,
      dateCreated: clock.now,
      dateUpdated: clock.now,
      friendlyName: "support",
      ownName: `${root.sid} support`,
      members: [{ callSid: waiting.sid, at: clock.now - 65_000, companion, taken: null }],
    },
  });
  return one.sid;
}

/** Numbers, Clients, applications, flows, trunks, keys and sub-accounts. */
async function build(app: App) {
  const { root } = app;
  const make = async (path: string, form: Record<string, string> = {}): Promise<string> => {
    const { status, text, json } = await root.post(`${path}.json`, form);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return json().sid;
  };
  const sids: Record<string, string> = {};
  sids.Flow = await make("Applications", {
    FriendlyName: "Call centre",
    Kind: "voice",
    Flow: JSON.stringify(callCentre),
  });
  await root.post(`Applications/${sids.Flow}.json`, {
    Flow: JSON.stringify({ ...callCentre, variables: { tries: "1" } }),
  });
  sids.Applications = await make("Applications", {
    FriendlyName: "Main menu",
    Kind: "voice",
    RcmlUrl: `${server}/ivr/main-menu`,
  });
  sids.IncomingPhoneNumbers = await make("IncomingPhoneNumbers", {
    PhoneNumber: "+12125550100",
    FriendlyName: "Head office",
    VoiceUrl: `${server}/ivr/main-menu`,
    SmsUrl: `${server}/texts`,
  });
  await make("IncomingPhoneNumbers", {
    PhoneNumber: "+12125550199",
    FriendlyName: "Support line, evenings and weekends only",
    VoiceApplicationSid: sids.Flow,
  });
  await make("IncomingPhoneNumbers", { PhoneNumber: "+13105550111" });
  for (const login of agents) {
    sids.Clients = await make("Clients", {
      Login: login,
      Password: "a long secret",
      FriendlyName: login.replaceAll(/[.-]/g, " "),
      ...login === "dispatch" && { Status: "0" },
      ...login === "bilal" &&
        { VoiceUrl: `${server}/agents/outgoing?agent=bilal&team=customer-success-emea` },
    });
    app.registered.set(login, [sampleBinding(app), {
      ...sampleBinding(app),
      transport: "TLS",
      userAgent: "Yealink SIP-T46U 108.86.0.40",
      remoteAddress: "198.51.100.23:5061",
      registeredAt: app.clock.now - 9 * hourMs,
    }]);
  }
  sids["Management/Gateways"] = await make("Management/Gateways", {
    FriendlyName: "Carrier One",
    UserName: "acme-trunk",
    Password: "secret",
    Proxy: "sip.carrier.example:5061;transport=tls",
  });
  const down = await make("Management/Gateways", {
    FriendlyName: "Carrier Two (fallback)",
    UserName: "acme-2",
    Password: "secret",
    Proxy: "203.0.113.50:5060",
  });
  const set = (sid: string, sent: object) =>
    app.ports.records.gateways.update(
      root.sid,
      sid,
      (record) => ({ record: { ...record, ...sent } }),
    );
  await set(sids["Management/Gateways"]!, { status: "registered" });
  await set(down, { status: "failed", reason: "403 Forbidden" });
  sids.OutgoingCallerIds = await make("OutgoingCallerIds", {
    PhoneNumber: "+14155550170",
    FriendlyName: "Mobile of the owner",
  });
  sids.Keys = await make("Keys", { FriendlyName: "CI pipeline" });
  await make("Keys", { FriendlyName: "Billing export, nightly", Role: "Developer" });
  sids["SMS/Messages"] = await make("SMS/Messages", {
    From: "+12125550100",
    To: "+12125550177",
    Body: "Your order 4711 is on its way and will arrive on Friday between 9 and 12.",
  });
  await make("SMS/Messages", { From: "+12125550100", To: "client:bilal", Body: "ok" });
  await root.post("Email/Messages.json", {
    From: "calls@example.com",
    To: "ana.moreno@example.com",
    Subject: "A new message of Grace Hopper",
    Body: "Hello",
  });
  sids["Email/Messages"] = (await root.get("Email/Messages.json")).json().messages[0].sid;
  sids.Geolocation = await make("Geolocation/Immediate", {
    DeviceIdentifier: "+59899077937",
    StatusCallback: `${server}/found`,
  });
  const team = await app.subAccount(root, "sales");
  await app.subAccount(team, "emea");
  const closed = await app.subAccount(root, "pilot");
  await root.post(`../${closed.sid}.json`, { Status: "suspended" }).catch(() => null);
  return { sids, team: { sid: team.sid } };
}

/** Charges of the month, and texts that came and failed. */
async function write(app: App, roll: (below: number) => number): Promise<void> {
  const now = app.clock.now;
  for (let day = 25; day >= 0; day--) {
    app.clock.now = now - day * dayMs;
    for (let at = 0; at < 3; at++) {
      await insertCall(app, {
        from: "+12125550100",
        to: "+13105550123",
        status: "completed",
        startTime: app.clock.now,
        answeredAt: app.clock.now + 900,
        endTime: app.clock.now + 60_000 * (1 + roll(20)),
        duration: 60 * (1 + roll(20)),
        price: (0.0085 * (1 + roll(20))).toFixed(4),
        direction: "outbound-api",
      });
    }
  }
}
