import type { LegEvent } from "../protocol/events.ts";
import type { Gathered, PartialSpeech } from "../protocol/gather.ts";
import type { Call } from "../model/resources/calls.ts";
import { limits } from "../base/limits.ts";
import { iso8601 } from "../base/wire.ts";
import { filledPlaceParameters, placeParameters } from "../model/values/place.ts";
import { answeredByShown } from "./answered_by.ts";

/**
 * Parameters of every markup request and callback of a call. Empty values are left out, except the places
 * of a call by /2010-04-01. `status`: the CallStatus to send, where it is not the call's own.
 */
export function callParameters(
  call: Call,
  { instanceId, status = call.status }: { instanceId: string; status?: string },
): Record<string, string> {
  const isTwilio = call.apiVersion === limits.twilioApiVersion;
  const known: Record<string, string | null> = {
    CallSid: call.sid,
    AccountSid: call.accountSid,
    From: call.from,
    To: call.to,
    ...isTwilio && { Called: call.to, Caller: call.from },
    CallStatus: status,
    ApiVersion: call.apiVersion,
    Direction: call.direction,
    CallerName: call.callerName,
    AnsweredBy: answeredByShown(call),
    ForwardedFrom: call.forwardedFrom,
    CallTimestamp: iso8601(call.startTime ?? call.dateCreated),
    InstanceId: instanceId,
    ParentCallSid: call.parentCallSid,
    PhoneNumberSid: call.phoneNumberSid,
    SipCallId: call.sipCallId,
    StirVerstat: call.stirVerstat,
    ...(!call.transfer ? {} : transferParameters(call.transfer)),
    ...prefixed("SipHeader_", call.sipHeaders ?? {}),
  };
  return {
    ...Object.fromEntries(
      Object.entries(known).filter((pair): pair is [string, string] => Boolean(pair[1])),
    ),
    ...isTwilio ? placesOf(call) : knownPlacesOf(call),
  };
}

/** Places of both parties, in Twilio's parameters; empty for a number without a place. */
const placesOf = ({ from, to }: Pick<Call, "from" | "to">): Record<string, string> => ({
  ...placeParameters("From", from),
  ...placeParameters("To", to),
  ...placeParameters("Caller", from),
  ...placeParameters("Called", to),
});

const knownPlacesOf = ({ from, to }: Pick<Call, "from" | "to">): Record<string, string> => ({
  ...filledPlaceParameters("From", from),
  ...filledPlaceParameters("To", to),
});

/** Callback parameters of a transfer. */
export const transferParameters = (
  { target, transferor, transferee }: NonNullable<Call["transfer"]>,
): Record<string, string> => ({
  ReferTarget: target,
  Transferor: transferor,
  Transferee: transferee,
});

/** Headers as parameters, named as the registry of headers spells them. */
const prefixed = (prefix: string, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [prefix + spelt(name), value]));

/** A header as the registry of headers spells it. */
export const spelt = (name: string): string => /^user-to-user$/i.test(name) ? "User-to-User" : name;

/** Additional parameters of the request to a Dial's action, after a Conference. */
export const conferenceParameters = (
  { outcome, durationS, conferenceSid }: LegEvent & { type: "left" },
): Record<string, string> => ({
  DialCallStatus: outcome,
  DialCallDuration: String(durationS),
  ConferenceSid: conferenceSid,
});

/** Additional parameters of the request to a Refer's action. */
export const referParameters = (
  { outcome, sipStatus }: LegEvent & { type: "referred" },
): Record<string, string> => ({
  ReferCallStatus: outcome,
  ...(sipStatus === undefined ? {} : { ReferSipResponseCode: String(sipStatus) }),
});

/** Additional parameters of the request to a Dial's action. */
export function dialParameters(dialled: LegEvent & { type: "dialled" }): Record<string, string> {
  return {
    DialCallStatus: dialled.outcome,
    DialCallSid: dialled.leg,
    DialCallDuration: String(dialled.durationS),
    DialRingDuration: String(dialled.ringS),
    ...legParameters(dialled),
  };
}

/** Callback parameters of the leg that a Dial placed. */
export function legParameters(dialled: LegEvent & { type: "dialled" }): Record<string, string> {
  return {
    OutboundCallSid: dialled.leg,
    ...(dialled.sipCallId === undefined ? {} : { DialSipCallId: dialled.sipCallId }),
    ...(dialled.sipStatus === undefined ? {} : { DialSipResponseCode: String(dialled.sipStatus) }),
    ...prefixed("DialSipHeader_", dialled.headers ?? {}),
  };
}

/** Additional parameters of the request to a Gather's action. */
export const gatherParameters = (
  { digits, speech }: Pick<Gathered, "digits" | "speech">,
): Record<string, string> => ({
  // Empty after no input: the action is requested all the same.
  ...(digits === "" && speech !== undefined ? {} : { Digits: digits }),
  ...(speech === undefined ? {} : {
    SpeechResult: speech.text,
    Confidence: String(speech.confidence),
  }),
});

/** Parameters of a Gather's partial result callback, while the caller still speaks. */
export const partialParameters = (
  { text, confidence, number }: PartialSpeech,
): Record<string, string> => ({
  UnstableSpeechResult: text,
  Confidence: String(confidence),
  SequenceNumber: String(number),
});
