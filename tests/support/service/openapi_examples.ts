import type { AnyResource } from "../../../core/model/resource.ts";
import { accounts } from "../../../core/model/resources/accounts.ts";
import {
  availablePhoneNumbers,
  numberCountries,
} from "../../../core/model/resources/available_phone_numbers.ts";
import {
  authTokenUses,
  promotedAuthTokens,
  secondaryAuthTokens,
} from "../../../core/model/resources/views/auth_tokens.ts";
import { accountLimits } from "../../../core/model/resources/views/account_limits.ts";
import { bindings } from "../../../core/model/resources/views/bindings.ts";
import { documentTests } from "../../../core/model/resources/views/document_tests.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import { deliveryReplays } from "../../../core/webhooks/replay_failed.ts";
import { secondFactors } from "../../../core/model/resources/views/second_factors.ts";
import { statistics } from "../../../core/model/resources/views/statistics.ts";
import { emailRecords } from "../../../core/model/resources/emails.ts";
import { tokens } from "../../../core/model/resources/views/tokens.ts";
import { validationRequests } from "../../../core/model/resources/views/validation_requests.ts";
import { usageRecords } from "../../../core/model/resources/views/usage_records.ts";
import type { Form } from "./api_client.ts";
import { dryRun } from "./filled_paths.ts";
import { document } from "./openapi.ts";
import { sampledNames, samples } from "./samples.ts";

/** The resources of golden files, by the first part of their names. */
export const goldenResources: Record<string, AnyResource> = {
  ...resources,
  accounts,
  auth_tokens: authTokenUses,
  available: availablePhoneNumbers,
  bindings,
  deliveryReplays,
  secondFactors,
  document_tests: documentTests,
  emailRecords,
  limits: accountLimits,
  promotion: promotedAuthTokens,
  secondary: secondaryAuthTokens,
  statistics,
  tokens,
  usage: usageRecords,
  validation: validationRequests,
};

/** Golden files that are no record and no list of one. */
const others: Record<string, string> = {
  available_countries: `${numberCountries.type}List`,
  available_country: numberCountries.type,
  calls_muted: "MutedCall",
  calls_monitors: "Monitors",
  calls_progress: "CallProgress",
  calls_sip_trace: "SipTrace",
  dry_run: "DryRun",
  error: "Error",
  keys_new: "NewKey",
  supervisor_job_retried: "JobRetried",
  supervisor_jobs: "Jobs",
  supervisor_metrics: "Metrics",
  supervisor_numbers_imported: "NumbersImported",
  supervisor_store: "Store",
};

const lookUp = { DeviceIdentifier: "+59899077937", StatusCallback: "https://app.test/located" };

/** Requests of operations that no sample is made by. */
const requests: Record<string, Form> = {
  AccountCreate: { EmailAddress: "team@example.com", Password: "secret", FriendlyName: "Team" },
  AccountUpdate: { FriendlyName: "Support team" },
  ApplicationCreate: { FriendlyName: "ivr 1", RcmlUrl: "https://app.test/voice" },
  CallUpdate: { Url: "https://app.test/transfer" },
  ConferenceUpdate: { Status: "completed" },
  DocumentTestCreate: { Url: "https://app.test/voice", From: "+14155550199" },
  DryRunWanted: dryRun,
  DeliveryUpdate: { Replay: "true" },
  DeliveryReplayCreate: { Replay: "failed", StartTime: "2024-01-31T11:00:00Z" },
  JobRetry: { Retry: "00000aa1b2c3d4e5f60718" },
  NumberImport: { Numbers: "PhoneNumber,Kind\n+14155550100,local\n" },
  EmailMessageCreate: {
    From: "a@example.com",
    To: "b@example.com",
    Subject: "Hi <b>",
    Body: "hello",
  },
  ImmediateGeolocationCreate: lookUp,
  IncomingPhoneNumberCreate: {
    PhoneNumber: "+14155550198",
    VoiceUrl: "https://app.test/voice",
  },
  IncomingPhoneNumberCreateOfKind: { PhoneNumber: "+14155550198" },
  KeyCreate: { FriendlyName: "ci", Role: "Developer" },
  KeyUpdate: { FriendlyName: "nightly builds" },
  NotificationGeolocationCreate: {
    ...lookUp,
    EventGeofenceLatitude: "-33.426280",
    EventGeofenceLongitude: "-70.56656",
    GeofenceRange: "300",
    GeofenceEvent: "in",
  },
  LimitsUpdate: { MaxConcurrentCalls: "10", MaxSpendPerDay: "25.00" },
  MonitorCreate: { To: "client:alice" },
  ParticipantUpdate: { Mute: "true" },
  SandboxUpdate: { VoiceUrl: "https://app.test/voice" },
  StreamCreate: { Url: "wss://monitor.example.com/", Name: "monitor", Track: "both_tracks" },
  StreamUpdate: { Status: "stopped" },
  TokenCreate: { Ttl: "600" },
  TranscriptionCreate: { TranscribeCallback: "https://app.test/text", Language: "en-US" },
  ValidationRequestCreate: { PhoneNumber: "+14155550119", FriendlyName: "Hotline" },
  UssdPushCreate: { From: "+14155550199", To: "+15550009", Url: "https://app.test/ussd" },
};

/** The example of every schema that a body is of, by the name of the schema. */
export async function examplesOf(): Promise<Record<string, unknown>> {
  const examples: Record<string, unknown> = {};
  for (const name of sampledNames) {
    const { type } = resources[name];
    const { create, update } = samples[name];
    if (create !== undefined) examples[`${type}Create`] = bodyOf(`${type}Create`, create(1));
    if (update !== undefined) examples[`${type}Update`] = bodyOf(`${type}Update`, update.form);
  }
  for (const [name, form] of Object.entries(requests)) examples[name] = bodyOf(name, form);
  const folder = new URL("../../golden/", import.meta.url);
  for await (const { name: file } of Deno.readDir(folder)) {
    const name = /^(\w+)\.json$/.exec(file)?.[1];
    if (name === undefined) continue;
    const [, resource, kind] = /^(\w+)_(one|list)$/.exec(name) ?? [];
    const type = resource && goldenResources[resource]!.type + (kind === "list" ? "List" : "");
    const schema = type ?? others[name];
    if (schema === undefined) continue;
    examples[schema] = JSON.parse(await Deno.readTextFile(new URL(file, folder)));
  }
  const sorted = Object.keys(examples).sort();
  return Object.fromEntries(sorted.map((name) => [name, examples[name]]));
}

interface Properties {
  properties: Record<string, { type?: string; anyOf?: { type?: string }[] }>;
}

/** A form as the JSON body of a schema: numbers and booleans are no texts there. */
function bodyOf(schema: string, form: Form): Record<string, unknown> {
  const { properties } = document.components.schemas![schema] as unknown as Properties;
  const values = Object.entries(form).map(([name, value]) => {
    const { type, anyOf = [] } = properties[name]!;
    if (anyOf.some(({ type }) => type === "integer")) return [name, Number(value)];
    if (type === "boolean") return [name, value === "true"];
    return [name, type === "integer" ? Number(value) : value];
  });
  return Object.fromEntries(values);
}
