import { z } from "zod";
import type { Step } from "../protocol/script.ts";
import type { Action } from "../protocol/action.ts";
import { conferenceEvents, type ConferenceOptions } from "../model/values/conference_options.ts";
import { limits } from "../base/limits.ts";
import type { Element } from "./parse.ts";
import { recordingCallback, recordingOrder } from "./recording_order.ts";
import {
  boolean,
  type CompileContext,
  hint,
  methodAttribute,
  notPerformed,
  readAttributes,
  urlAttribute,
  wholeNumber,
} from "./verb.ts";

/** Attributes of the noun `Conference` of Dial. */
export const conferenceAttributes = {
  muted: boolean(false),
  beep: z.enum(["true", "false", "onEnter", "onExit"]).optional().transform((beep) =>
    beep ?? "true"
  ),
  startConferenceOnEnter: boolean(true),
  endConferenceOnExit: boolean(false),
  waitUrl: z.string().optional(),
  waitMethod: methodAttribute,
  maxParticipants: wholeNumber({
    min: 1,
    max: limits.conferenceMembersMax,
    fallback: limits.conferenceMembers,
  }),
  record: z.enum(["false", "do-not-record", "true", "record-from-start"]).optional(),
  trim: z.enum(["trim-silence", "do-not-trim"]).optional(),
  ...recordingCallback,
  coach: z.string().regex(/^CA[0-9a-f]{32}$/).optional(),
  participantLabel: z.string().trim().min(1).max(limits.conferenceNameLength).optional(),
  jitterBufferSize: hint,
  region: hint,
  statusCallback: z.string().optional(),
  statusCallbackMethod: methodAttribute,
  statusCallbackEvent: z.string().optional(),
};

/** Attributes of Dial that hold for a conference, too. */
export interface RoomDial {
  timeLimitS: number;
  hangupOnStar: boolean;
  action: Action | undefined;
}

/** The step of a Conference noun; none, with a note, when it names no conference. */
export function conferenceStep(
  noun: Element,
  { action, timeLimitS, hangupOnStar }: RoomDial,
  context: CompileContext,
): Step[] {
  const name = noun.text;
  if (name === "" || name.length > limits.conferenceNameLength) {
    context.skip(`Conference "${name}" of Dial: its name has 1 to 128 characters`);
    return notPerformed(action, { DialCallStatus: "failed", DialCallDuration: "0" });
  }
  const read = readAttributes(noun, conferenceAttributes, context);
  const serviceContext: ConferenceOptions = {
    kind: "conference",
    name,
    most: read.maxParticipants,
    muted: read.muted,
    beepOnEnter: /true|onEnter/.test(read.beep),
    beepOnExit: /true|onExit/.test(read.beep),
    startOnEnter: read.startConferenceOnEnter,
    endOnExit: read.endConferenceOnExit,
    ...waitOf(noun, read.waitMethod, context),
    ...callbackOf(noun, read, context),
    timeLimitS,
    hangupOnStar,
    ...isRecorded(read.record) && {
      record: recordingOrder(noun, { ...read, source: "Conference", track: "both" }, context),
      ...read.trim === "trim-silence" && { isTrimmed: true },
    },
    ...read.coach !== undefined && { coach: read.coach },
    ...read.participantLabel !== undefined && { label: read.participantLabel },
  };
  return [{ type: "consult", serviceContext, ...action && { action } }];
}

const isRecorded = (record: string | undefined): boolean =>
  record === "true" || record === "record-from-start";

/** The document for participants who wait; absent is the built-in music, null is silence. */
export function waitOf(
  noun: Element,
  method: Action["method"],
  context: CompileContext,
): { wait?: Action | null } {
  if (noun.attributes.waitUrl?.trim() === "") return { wait: null };
  const url = urlAttribute(noun, "waitUrl", context);
  return url === undefined ? {} : { wait: { url, method, hops: 0 } };
}

interface Callbacks {
  statusCallbackMethod: Action["method"];
  statusCallbackEvent?: string | undefined;
}

function callbackOf(
  noun: Element,
  { statusCallbackMethod: method, statusCallbackEvent }: Callbacks,
  context: CompileContext,
): Pick<ConferenceOptions, "callback"> {
  const url = urlAttribute(noun, "statusCallback", context);
  if (url === undefined) return {};
  const named = (statusCallbackEvent ?? "start end").split(/[\s,]+/).filter((name) => name !== "");
  const known = conferenceEvents.filter((event) => named.includes(event));
  for (const name of named.filter((name) => !known.some((event) => event === name))) {
    context.skip(`event "${name}" of attribute "statusCallbackEvent" of Conference`);
  }
  return { callback: { url, method, events: known } };
}
