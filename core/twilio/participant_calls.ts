import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { flag, method, reference, url, wholeNumber } from "../base/fields.ts";
import { liveNameOf } from "../conferences/enter.ts";
import { hasLabel } from "../conferences/membership.ts";
import { inlineUrl } from "../model/flows/address.ts";
import { recordingEvents } from "../model/values/recording_context.ts";
import { limits } from "../base/limits.ts";
import { type Call, calls } from "../model/resources/calls.ts";
import type { Participant } from "../model/resources/participants.ts";
import { asyncAmdOf, callInformation, placed } from "./calls.ts";
import { type Asked, ignored, refused, type SentOf, works } from "./noun/noun.ts";
import { informationalOf } from "./noun/informational.ts";
import { eventNames, recordingOfSent, recordingParameters } from "./noun/recording_parameters.ts";
import { given } from "./noun/regular.ts";

const { fields } = calls;
const sip = "a Gateway of the account has the credentials of its proxy";
const noEmergency = "there are no emergency calls";

/** The only listener of a participant. */
export const coaching = {
  Coaching: works(flag, "with `CallSidToCoach`: that participant alone hears this one"),
  CallSidToCoach: works(reference("CA")),
};

/**
 * The call that alone hears a participant; null where all are to hear it again, absent where nothing was
 * sent. Throws `badParameter`.
 */
export function coachOf(
  { Coaching: isCoach, CallSidToCoach: sid }: SentOf<typeof coaching>,
  { isUpdate = false } = {},
): string | null | undefined {
  if (isCoach === false) return isUpdate ? null : undefined;
  if (isCoach === true && sid === undefined) {
    throw new Fault("badParameter", "Coaching=true needs CallSidToCoach");
  }
  return sid;
}

/** Parameters of a call into a conference: those of a call, and those of the noun Conference. */
export const entering = {
  From: works(fields.from, "required"),
  To: works(fields.to, "required"),
  CallerId: works(fields.from, "is shown in place of `From`"),
  Timeout: works(fields.timeout),
  TimeLimit: works(wholeNumber(1, limits.callTimeLimitS)),
  StatusCallback: works(url),
  StatusCallbackMethod: works(method),
  StatusCallbackEvent: works(fields.statusCallbackEvent),
  Muted: works(flag),
  Beep: works(z.enum(["true", "false", "onEnter", "onExit"])),
  StartConferenceOnEnter: works(flag),
  EndConferenceOnExit: works(flag),
  WaitUrl: works(z.union([z.literal(""), url]), "empty: silence"),
  WaitMethod: works(method),
  MaxParticipants: works(wholeNumber(1, limits.conferenceMembersMax)),
  ConferenceRecord: works(z.enum(["true", "false", "record-from-start", "do-not-record"])),
  ConferenceStatusCallback: works(url),
  ConferenceStatusCallbackMethod: works(method),
  ConferenceStatusCallbackEvent: works(
    z.union([z.string(), z.array(z.string())]).transform((events) => [events].flat().join(" ")),
  ),
  ConferenceRecordingStatusCallback: works(url),
  ConferenceRecordingStatusCallbackMethod: works(method),
  ConferenceRecordingStatusCallbackEvent: works(eventNames(recordingEvents)),
  ConferenceTrim: works(z.enum(["trim-silence", "do-not-trim"])),
  MachineDetection: works(z.enum(["Enable", "DetectMessageEnd"])),
  MachineDetectionTimeout: works(fields.machineDetectionTimeout),
  MachineDetectionSpeechThreshold: works(fields.machineDetectionSpeechThreshold),
  MachineDetectionSpeechEndThreshold: works(fields.machineDetectionSpeechEndThreshold),
  MachineDetectionSilenceTimeout: works(fields.machineDetectionSilenceTimeout),
  AmdStatusCallback: works(url, "with `MachineDetection`, during which the callee joins"),
  AmdStatusCallbackMethod: works(method),
  Label: works(
    z.string().trim().min(1).max(limits.conferenceNameLength),
    "409 where another participant has it",
  ),
  EarlyMedia: refused("the callee joins when it answers", ["true"]),
  Record: works(flag, "the call of the participant, from the answer to the end"),
  ...recordingParameters,
  SipAuthUsername: refused(sip),
  SipAuthPassword: refused(sip),
  ...coaching,
  Byoc: refused("a Gateway of the account takes the place of a BYOC trunk"),
  ...callInformation,
  CallToken: ignored("From is checked as that of any call, and the token not kept"),
  Passports: refused("calls are not signed (STIR/SHAKEN)"),
  ClientNotificationUrl: refused("phones register by SIP; there are no push notifications"),
  CallerDisplayName: refused("From is shown"),
  EmergencyCallerPosition: refused(noEmergency),
  EmergencyCallerLocation: refused(noEmergency),
  EmergencyName: refused(noEmergency),
  EmergencyAddress: refused(noEmergency),
  EmergencyZipCode: refused(noEmergency),
  EmergencyCity: refused(noEmergency),
  EmergencyState: refused(noEmergency),
  EmergencyCountry: refused(noEmergency),
};

type Entering = SentOf<typeof entering>;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** The markup that takes the callee into the conference of a name. */
function conferenceMarkup(name: string, sent: Entering): string {
  const attributes = given({
    muted: sent.Muted,
    beep: sent.Beep,
    startConferenceOnEnter: sent.StartConferenceOnEnter,
    endConferenceOnExit: sent.EndConferenceOnExit,
    waitUrl: sent.WaitUrl,
    waitMethod: sent.WaitMethod,
    maxParticipants: sent.MaxParticipants,
    participantLabel: sent.Label,
    coach: coachOf(sent) ?? undefined,
    record: sent.ConferenceRecord,
    statusCallback: sent.ConferenceStatusCallback,
    statusCallbackMethod: sent.ConferenceStatusCallbackMethod,
    statusCallbackEvent: sent.ConferenceStatusCallbackEvent,
    recordingStatusCallback: sent.ConferenceRecordingStatusCallback,
    recordingStatusCallbackMethod: sent.ConferenceRecordingStatusCallbackMethod,
    recordingStatusCallbackEvent: sent.ConferenceRecordingStatusCallbackEvent?.join(" "),
    trim: sent.ConferenceTrim,
  });
  const text = Object.entries(attributes)
    .map(([attribute, value]) => ` ${attribute}="${escaped(String(value))}"`).join("");
  return `<Response><Dial><Conference${text}>${escaped(name)}</Conference></Dial></Response>`;
}

/** The name of the conference in the path: that of a Sid, or the name itself. */
async function nameOf({ account, path, ports }: Asked): Promise<string> {
  const named = path.ConferenceSid ?? "";
  const conference = await ports.records.conferences.get(account.sid, named);
  return conference?.friendlyName ?? named;
}

/** Throws `alreadyExists` where a participant of the conference has the label. */
async function assertFree(label: string, name: string, { account, ports }: Asked): Promise<void> {
  const liveName = liveNameOf(account.sid, name);
  const live = await ports.records.conferences.holder("liveName", liveName);
  if (live === null || !hasLabel(live.members, label)) return;
  throw new Fault("alreadyExists", `Label "${label}" names another participant of ${live.sid}`);
}

/** Calls a party into a conference, by its Sid or its name. Returns the participant of the ringing call. */
export async function called(asked: Asked, sent: Entering): Promise<Participant> {
  const name = await nameOf(asked);
  if (sent.Label !== undefined) await assertFree(sent.Label, name, asked);
  const wanted = given({
    to: sent.To,
    from: sent.CallerId ?? sent.From,
    url: inlineUrl(conferenceMarkup(name, sent)),
    recording: sent.Record ? recordingOfSent(sent, { trims: true }) : undefined,
    informational: informationalOf(callInformation, sent),
    timeout: sent.Timeout,
    timeLimit: sent.TimeLimit,
    statusCallback: sent.StatusCallback,
    statusCallbackMethod: sent.StatusCallbackMethod,
    statusCallbackEvent: sent.StatusCallbackEvent,
    machineDetection: sent.MachineDetection,
    asyncAmd: sent.MachineDetection &&
      asyncAmdOf(sent.AmdStatusCallback, sent.AmdStatusCallbackMethod),
    machineDetectionTimeout: sent.MachineDetectionTimeout,
    machineDetectionSpeechThreshold: sent.MachineDetectionSpeechThreshold,
    machineDetectionSpeechEndThreshold: sent.MachineDetectionSpeechEndThreshold,
    machineDetectionSilenceTimeout: sent.MachineDetectionSilenceTimeout,
  });
  const call = await placed(wanted, asked);
  return arriving(call, asked, sent);
}

/** A participant whose call was placed and has not joined yet. */
export function arriving(call: Call, { path }: Asked, sent: Entering): Participant {
  const { accountSid, dateCreated, dateUpdated, sid, apiVersion } = call;
  const coach = coachOf(sent) ?? null;
  return {
    sid: `CP${sid.slice(2)}`,
    accountSid,
    dateCreated,
    dateUpdated,
    callSid: sid,
    conferenceSid: path.ConferenceSid ?? "",
    muted: sent.Muted ?? false,
    hold: false,
    startConferenceOnEnter: sent.StartConferenceOnEnter ?? true,
    endConferenceOnEnter: sent.EndConferenceOnExit ?? false,
    apiVersion,
    label: sent.Label ?? null,
    coaching: coach !== null,
    callSidToCoach: coach,
  };
}
