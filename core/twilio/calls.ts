import { withMark } from "../model/resources/internal/removed_records.ts";
import { tenantOf } from "../accounts/tenant.ts";
import { z } from "zod";
import { isTest } from "../accounts/access.ts";
import { twilioAnswerer } from "../calls/answered_by.ts";
import { placedBy } from "../calls/placed_by.ts";
import { refuseWithoutTaker } from "../companions/companions.ts";
import { flag, method, oneLine, reference, url, wholeNumber } from "../base/fields.ts";
import { digits } from "../protocol/gather.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { modifyCall } from "../reports/modify_call.ts";
import { type Call, calls as definition } from "../model/resources/calls.ts";
import { callStatus, isLive } from "../model/values/status.ts";
import { addressed, dated, equal } from "./noun/filters.ts";
import { informationalFields, informationalOf } from "./noun/informational.ts";
import { inlineParameter } from "./noun/markup.ts";
import {
  action,
  type Asked,
  ignored,
  informational,
  noun,
  refused,
  type SentOf,
  works,
} from "./noun/noun.ts";
import { recordingOfSent, recordingParameters } from "./noun/recording_parameters.ts";
import { asFields, fetched, found, given, listedOf, made } from "./noun/regular.ts";
import { apiVersion, basic, currency, date, formatted, price, text } from "./noun/written.ts";

const { fields } = definition;

const sip = "a Gateway of the account has the credentials of its proxy";

const timeLimit = wholeNumber(1, limits.callTimeLimitS);

const markup = {
  Url: works(url),
  Twiml: works(inlineParameter, "up to 64 KiB; `Url` comes first where both are sent"),
  Method: works(method),
  FallbackUrl: works(url),
  FallbackMethod: works(method),
};

const statusCallback = {
  StatusCallback: works(url),
  StatusCallbackMethod: works(method),
};

/** The reason of a call, which Twilio has carriers show to the callee. */
const reason = {
  CallReason: informational(oneLine(255), "carriers are not told the reason of a call"),
};

/** Informational parameters of a call into a conference. The Call shows them. */
export const callInformation = {
  ...reason,
  Region: informational(
    z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a region, such as us1"),
    "the companion of the first participant mixes",
  ),
  JitterBufferSize: informational(
    z.enum(["small", "medium", "large", "off"]),
    "the jitter buffer adapts by itself",
  ),
};

const parameters = {
  To: works(fields.to, "required"),
  From: works(fields.from, "required"),
  ...markup,
  ...statusCallback,
  StatusCallbackEvent: works(fields.statusCallbackEvent),
  ApplicationSid: works(reference("AP"), "`Url` and what goes with it are then ignored"),
  Timeout: works(fields.timeout),
  MachineDetection: works(z.enum(["Enable", "DetectMessageEnd"])),
  MachineDetectionTimeout: works(fields.machineDetectionTimeout),
  MachineDetectionSpeechThreshold: works(fields.machineDetectionSpeechThreshold),
  MachineDetectionSpeechEndThreshold: works(fields.machineDetectionSpeechEndThreshold),
  MachineDetectionSilenceTimeout: works(fields.machineDetectionSilenceTimeout),
  SendDigits: works(digits.max(limits.sentDigits), "`MachineDetection` is then ignored"),
  TimeLimit: works(timeLimit),
  CallerId: works(fields.from, "is shown in place of `From`"),
  Record: works(flag, "from the answer to the end, `Trim` unless do-not-trim is sent"),
  ...recordingParameters,
  AsyncAmd: works(flag, "the markup goes on during `MachineDetection`"),
  AsyncAmdStatusCallback: works(url, "with `AsyncAmd`"),
  AsyncAmdStatusCallbackMethod: works(method),
  SipAuthUsername: refused(sip),
  SipAuthPassword: refused(sip),
  Passports: refused("calls are not signed (STIR/SHAKEN)"),
  Byoc: refused("a Gateway of the account takes the place of a BYOC trunk"),
  ...reason,
  CallToken: ignored(
    "forwarded caller IDs need no token here; From is checked as any other, and the token not kept",
  ),
  ClientNotificationUrl: refused("phones register by SIP; there are no push notifications"),
};

/** The parameters of a call as its record has them: markup without a URL is one of ours. */
function wantedOf(sent: SentOf<typeof parameters>): Record<string, unknown> {
  const { Twiml, CallerId, SendDigits, MachineDetection, Record: isRecorded, ...rest } = sent;
  const { AsyncAmd, AsyncAmdStatusCallback, AsyncAmdStatusCallbackMethod, ...others } = rest;
  const wanted = given({
    ...asFields(without(others, { ...recordingParameters, ...reason })),
    informational: informationalOf(parameters, sent),
    recording: isRecorded ? recordingOfSent(sent, { trims: true }) : undefined,
    url: sent.Url ?? Twiml,
    sendDigits: SendDigits,
    machineDetection: SendDigits === undefined ? MachineDetection : undefined,
    asyncAmd: AsyncAmd
      ? asyncAmdOf(AsyncAmdStatusCallback, AsyncAmdStatusCallbackMethod)
      : undefined,
  });
  return CallerId === undefined ? wanted : { ...wanted, from: CallerId };
}

/** Answering machine detection beside the markup, as a call keeps it. */
export const asyncAmdOf = (
  url: string | undefined,
  method: "GET" | "POST" = "POST",
): Call["asyncAmd"] => ({ callback: url === undefined ? null : { url, method } });

/** Without the parameters of these names. */
const without = (sent: Record<string, unknown>, names: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => !(name in names)));

/** Makes a call by the rules of the contract's POST Calls. */
export async function placed(sent: Record<string, unknown>, asked: Asked): Promise<Call> {
  const { account, ports } = asked;
  if (sent.to === undefined) throw new Fault("noTo", "To is required");
  if (sent.from === undefined) throw new Fault("badFrom", "From is required");
  if (!isTest(account)) {
    await refuseWithoutTaker({ to: sent.to, tenant: tenantOf(account) }, ports);
  }
  const fields = await placedBy(sent, { kind: "voice", account }, ports);
  return await made("calls", { ...fields, apiVersion: limits.twilioApiVersion }, asked);
}

/** Removes the record of a call that has ended. Throws `notModifiable` for one that has not. */
async function removeCall(asked: Asked): Promise<void> {
  const { account, path, ports } = asked;
  await ports.records.calls.remove(account.sid, path.Sid ?? "", (call) => {
    if (!isLive(call.status)) return { record: call, ...withMark(call) };
    throw new Fault("notModifiable", `Status is ${call.status}; only an ended call can be deleted`);
  });
}

/** One leg of a call. */
export const calls = noun<Call>({
  type: "Call",
  path: "Calls",
  plural: "calls",
  fields: {
    ...basic,
    parent_call_sid: ({ parentCallSid }) => parentCallSid,
    to: ({ to }) => to,
    to_formatted: ({ to }) => formatted(to),
    from: ({ from }) => from,
    from_formatted: ({ from }) => formatted(from),
    phone_number_sid: ({ phoneNumberSid }) => phoneNumberSid,
    status: ({ status }) => status,
    start_time: ({ startTime }) => date(startTime),
    end_time: ({ endTime }) => date(endTime),
    duration: ({ duration }) => text(duration),
    price: (call) => price(call.price),
    price_unit: currency,
    direction: ({ direction }) => direction,
    answered_by: (call) => twilioAnswerer(call),
    api_version: apiVersion,
    forwarded_from: ({ forwardedFrom }) => forwardedFrom,
    group_sid: () => null,
    caller_name: ({ callerName }) => callerName,
    queue_time: () => "0",
    trunk_sid: () => null,
    stir_verstat: ({ stirVerstat }) => stirVerstat ?? null,
    ...informationalFields(callInformation),
  },
  address: ({ sid }) => `Calls/${sid}`,
  below: {
    events: "Events",
    notifications: "Notifications",
    recordings: "Recordings",
    streams: "Streams",
  },
  create: action({
    parameters,
    faults: { To: "badTo", From: "badFrom", Url: "badUrl" },
    perform: (asked, sent) => placed(wantedOf(sent), asked),
  }),
  fetch: fetched("calls"),
  update: action({
    parameters: {
      ...markup,
      ...statusCallback,
      Status: works(z.enum(["canceled", "completed"])),
      TimeLimit: works(timeLimit),
    },
    faults: { Url: "badUrl" },
    perform: (asked, { Twiml, ...sent }) => {
      const { account, path, requester } = asked;
      const named = { accountSid: account.sid, callSid: path.Sid ?? "", requester };
      const wanted = given({ ...asFields(sent), url: sent.Url ?? Twiml });
      return modifyCall(named, wanted, asked.ports);
    },
  }),
  remove: removeCall,
  listed: listedOf("calls", {
    To: addressed("to"),
    From: addressed("from"),
    ParentCallSid: equal("parentCallSid"),
    Status: equal("status", callStatus.options),
    StartTime: dated("startTime"),
    EndTime: dated("endTime"),
  }),
});

/** The call in the path of what is below it. Throws `notFound`. */
export const callOf = (asked: Asked): Promise<Call> =>
  found("calls", asked.path.CallSid ?? "", asked);
