import type { Base } from "../../core/ports.ts";
import { resources } from "../../core/resources/mod.ts";
import type { App } from "./app.ts";
import type { ApiClient, Form } from "./api_client.ts";

export type ResourceName = keyof typeof resources;

/** How a resource comes to be in tests, and what may be changed about it. */
interface Sample {
  /** The least a customer must send; `n` tells several apart. */
  create?: (n: number) => Form;
  /** The record, where the service itself makes it. */
  record?: (n: number) => Record<string, unknown>;
  /** A change, and the JSON keys it shows in. */
  update?: { form: Form; json: Record<string, unknown> };
  /** A filter that only the record of `n` = 1 passes. */
  filter: [name: string, value: string];
}

/** One for each resource; the compiler asks for it. */
export const samples: Record<ResourceName, Sample> = {
  applications: {
    create: (n) => ({ FriendlyName: `ivr ${n}` }),
    update: { form: { Kind: "sms" }, json: { kind: "sms" } },
    filter: ["FriendlyName", "ivr 1"],
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
  incomingPhoneNumbers: {
    create: (n) => ({ PhoneNumber: `+1415555019${9 - n}` }), // The list is by number.
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
    create: (n) => ({ PhoneNumber: `+1415555010${n}` }),
    update: { form: { FriendlyName: "Head office" }, json: { friendly_name: "Head office" } },
    filter: ["PhoneNumber", "+14155550101"],
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

/** Makes a record as the customer would, or else as the service would; returns its Sid. */
export async function makeSample(
  app: App,
  client: ApiClient,
  { name, n = 1 }: { name: ResourceName; n?: number },
): Promise<string> {
  const { create, record } = samples[name];
  const { path, sidPrefix } = resources[name];
  if (create !== undefined) return (await client.post(`${path}.json`, create(n))).json().sid;
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
