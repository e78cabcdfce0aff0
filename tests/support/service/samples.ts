import type { RegisteredBinding } from "../../../core/protocol/registrations.ts";
import type { Base } from "../../../core/base/record.ts";
import { joined } from "../../../core/conferences/membership.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import type { App } from "./app.ts";
import type { ApiClient, Form } from "./api_client.ts";

export type ResourceName = keyof typeof resources;

/** Those that are made in the regular way; the others have tests and golden files of their own. */
export type SampledName = Exclude<
  ResourceName,
  | "addresses"
  | "consoleGuards"
  | "consoleSessions"
  | "emails"
  | "geolocations"
  | "idempotencyKeys"
  | "keys"
  | "partialTexts"
  | "removedRecords"
  | "participants"
  | "queues"
  | "simulatedLegs"
  | "sandboxes"
  | "usageTriggers"
>;

/** Creation of a resource in tests, and the changes that it allows. */
interface Sample {
  /** The least a customer must send; `n` distinguishes several. */
  create?: (n: number) => Form;
  /** Values that the service derives from a customer's request. */
  change?: (n: number) => Record<string, unknown>;
  /** The record, where the service itself makes it. */
  record?: (n: number) => Record<string, unknown>;
  /** A change, and the JSON keys it shows in. */
  update?: { form: Form; json: Record<string, unknown> };
  /** A filter that only the record of `n` = 1 passes. */
  filter: [name: string, value: string];
}

/** One for each resource; the compiler requires it. */
export const samples: Record<SampledName, Sample> = {
  applications: {
    create: (n) => ({ FriendlyName: `ivr ${n}` }),
    update: { form: { Kind: "sms" }, json: { kind: "sms" } },
    filter: ["FriendlyName", "ivr 1"],
  },
  auditEntries: {
    record: (n) => ({
      actorSid: `AC${String(n).padStart(32, "0")}`,
      actorEmail: "ops@example.com",
      action: "POST",
      target: `Clients/CL${String(n).padStart(32, "0")}`,
      parameters: { Password: "********", FriendlyName: "a & <b>" },
      status: 200,
      from: "192.0.2.1",
      userAgent: "Mozilla/5.0",
      requestId: null,
    }),
    filter: ["Target", `Clients/CL${"1".padStart(32, "0")}`],
  },
  clients: {
    create: (n) => ({ Login: `alice${n}`, Password: "secret" }),
    update: {
      form: { FriendlyName: "Alice & <Bob>", VoiceUrl: "https://app.test/voice?a=1&b=2" },
      json: { friendly_name: "Alice & <Bob>", voice_url: "https://app.test/voice?a=1&b=2" },
    },
    filter: ["Login", "alice1"],
  },
  calls: {
    create: (n) => ({
      From: `+1555000${n}`,
      To: "client:alice",
      Url: "https://app.test/voice",
    }),
    filter: ["From", "+15550001"],
  },
  conferences: {
    record: (n) => withDefaults(resources.conferences, { friendlyName: `conference ${n}` }),
    filter: ["FriendlyName", "conference 1"],
  },
  deliveries: {
    record: (n) => ({
      status: "delivered",
      url: `https://app.test/events/${n}`,
      method: "POST",
      requestVariables: { CallSid: "CA1", CallStatus: "completed", To: "a & <b>" },
      event: "call.completed",
      callSid: `CA${String(n).padStart(32, "0")}`,
      messageSid: null,
      attemptCount: 2,
      attempts: [{
        startTime: Date.UTC(2024, 0, 31, 11, 59, 50),
        duration: 15_000,
        status: null,
        responseHeaders: null,
        responseBody: null,
        error: "no complete response within 15 s",
      }, {
        startTime: Date.UTC(2024, 0, 31, 11, 59, 58),
        duration: 12,
        status: 200,
        responseHeaders: "content-type: text/plain\nx-a: 1",
        responseBody: "<ok> & done",
        error: null,
      }],
      startTime: Date.UTC(2024, 0, 31, 11, 59, 45),
      apiVersion: "2012-04-24",
      credentials: null,
    }),
    filter: ["Url", "https://app.test/events/1"],
  },
  documentRequests: {
    record: (n) => ({
      callSid: `CA${String(n).padStart(32, "0")}`,
      url: `https://app.test/voice/${n}`,
      method: "POST",
      requestVariables: { CallSid: "CA1", Digits: "1#" },
      startTime: Date.UTC(2024, 0, 31, 11, 59, 45),
      duration: 12,
      status: 200,
      responseHeaders: "content-type: text/xml",
      responseBody: "<Response><Say>Hello</Say><Fax/></Response>",
      verbs: "Say, Fax",
      skipped: "verb Fax",
      error: null,
    }),
    filter: ["CallSid", `CA${"1".padStart(32, "0")}`],
  },
  erasures: {
    create: (n) => ({ Subject: `+141555501${String(n).padStart(2, "0")}` }),
    change: (n) => n === 1 ? {} : { status: "completed" },
    filter: ["Status", "queued"],
  },
  flowVersions: {
    record: (n) => ({
      applicationSid: `AP${String(n).padStart(32, "0")}`,
      number: n,
      kind: "voice",
      flow: '{"start":"hi","steps":{"hi":{"type":"say","text":"Hello & <bye>"}}}',
      savedBy: `AC${String(n).padStart(32, "0")}`,
      savedByEmail: "ops@example.com",
    }),
    filter: ["ApplicationSid", `AP${"1".padStart(32, "0")}`],
  },
  gateways: {
    create: (n) => ({ UserName: `trunk${n}`, Password: "secret", Proxy: "sip.carrier.test:5060" }),
    update: {
      form: { FriendlyName: "Carrier <1>", Register: "false", TTL: "600" },
      json: { friendly_name: "Carrier <1>", register: false, ttl: 600 },
    },
    filter: ["UserName", "trunk1"],
  },
  messages: {
    create: (n) => ({ From: `+1555000${n}`, To: "+15550009", Body: `Hello <${n}> & welcome` }),
    filter: ["Body", "hello <1>"],
  },
  recordings: {
    record: (n) => ({
      callSid: `CA${String(n).padStart(32, "0")}`,
      duration: 4.25,
      apiVersion: "2012-04-24",
      fileUri: null,
      status: "completed",
      s3Uri: null,
      channels: 1,
      statusCallback: null,
      transcribe: false,
      transcribeCallback: null,
      isStored: true,
      source: "RecordVerb",
      track: "inbound",
      conferenceSid: null,
      halt: null,
      changes: 0,
      liveSlot: null,
    }),
    filter: ["CallSid", `CA${"1".padStart(32, "0")}`],
  },
  transcriptions: {
    record: (n) => ({
      status: "completed",
      recordingSid: `RE${"1".padStart(32, "0")}`,
      duration: 4.25,
      transcriptionText: `Please leave ${n} message`,
      price: "0.00",
    }),
    filter: ["TranscriptionText", "LEAVE 1"],
  },
  incomingPhoneNumbers: {
    create: (n) => ({ PhoneNumber: `+14155550${199 - n}` }), // The list is by number.
    update: {
      form: {
        FriendlyName: "Support & <Sales>",
        VoiceUrl: "https://app.test/voice",
        ReferMethod: "GET",
      },
      json: {
        friendly_name: "Support & <Sales>",
        voice_url: "https://app.test/voice",
        refer_method: "GET",
      },
    },
    filter: ["PhoneNumber", "55**1*8"],
  },
  outgoingCallerIds: {
    create: (n) => ({ PhoneNumber: `+14155550${100 + n}` }),
    update: { form: { FriendlyName: "Head office" }, json: { friendly_name: "Head office" } },
    filter: ["PhoneNumber", "+14155550101"],
  },
  streams: {
    record: (n) => ({
      callSid: `CA${String(n).padStart(32, "0")}`,
      name: `agent ${n}`,
      status: "in-progress",
      track: "inbound_track",
      bidirectional: true,
      url: `wss://agent.test/${n}`,
      error: null,
      lostFrames: 0,
      apiVersion: "2012-04-24",
      statusCallback: { url: "https://app.test/streams", method: "POST" },
      reports: 0,
      isStarted: true,
    }),
    filter: ["Name", "agent 1"],
  },
  notifications: {
    record: (n) => ({
      callSid: null,
      apiVersion: "2012-04-24",
      log: 0,
      errorCode: 11200,
      moreInfo: "http://api.test/errors/11200",
      messageText: `Cannot deliver a status callback ${n}`,
      messageDate: Date.UTC(2024, 0, 31, 11, 59, 58),
      requestUrl: "https://app.test/status",
      requestMethod: "POST",
      requestVariables: "CallSid=CA1&To=x",
      responseHeaders: "",
      responseBody: "",
    }),
    filter: ["MessageText", "CALLBACK 1"],
  },
};

export const sampledNames = Object.keys(samples) as SampledName[];

/** Makes a record as the customer would, or else as the service would; returns its Sid. */
export async function makeSample(
  app: App,
  client: ApiClient,
  { name, n = 1 }: { name: SampledName; n?: number },
): Promise<string> {
  const { create, change, record } = samples[name];
  const { path, sidPrefix } = resources[name];
  if (create !== undefined) {
    const { sid } = (await client.post(`${path}.json`, create(n))).json();
    const changed = change?.(n) ?? {};
    if (Object.keys(changed).length > 0) {
      await app.ports.records[name].update(client.sid, sid, (record) => ({
        record: { ...record, ...changed } as never,
      }));
    }
    return sid;
  }
  const now = app.ports.now();
  const base: Base = {
    sid: app.ports.newSid(sidPrefix),
    accountSid: client.sid,
    dateCreated: now,
    dateUpdated: now,
  };
  const made = { ...base, ...record!(n) };
  await app.ports.records[name].insert({ record: made as never });
  return made.sid;
}

/** A device that a companion reports, registered ten minutes ago and for fifty more. */
export const sampleBinding = ({ clock: { now } }: Pick<App, "clock">): RegisteredBinding => ({
  contact: "sip:k3ev@phone.invalid;transport=ws",
  transport: "WS",
  remoteAddress: "203.0.113.7:50412",
  userAgent: "Softphone <1.0>",
  instanceId: "urn:uuid:1",
  regId: "1",
  path: [],
  registeredAt: now - 600_000,
  expiresAt: now + 3_000_000,
});

/** Puts the leg of a call into a conference of the root account. */
export async function makeParticipant(
  app: App,
  conferenceSid: string,
  callSid: string,
): Promise<void> {
  const entered = { callSid, muted: false, startOnEnter: true, endOnExit: false };
  await app.ports.records.conferences.update(
    app.root.sid,
    conferenceSid,
    (conference) => joined(conference, entered, app.ports.now()),
  );
}
