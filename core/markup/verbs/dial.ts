import { z } from "zod";
import type { RecordingManner } from "../../protocol/recordings.ts";
import { ringToneNames } from "../../protocol/ring_tones.ts";
import type { Step } from "../../protocol/script.ts";
import { limits } from "../../base/limits.ts";
import { recordingCallback, recordingOrder } from "../recording_order.ts";
import {
  actionAttribute,
  boolean,
  type CompileContext,
  hasTwilioDefaults,
  methodAttribute,
  notPerformed,
  urlAttribute,
  verb,
  wholeNumber,
} from "../verb.ts";
import { conferenceStep } from "../conference.ts";
import { invite, nounsOf } from "./dial_nouns.ts";
import { queueStep } from "../queue.ts";

/** Every value that records begins with the answer, and has a channel for each side. */
const record = z.enum([
  "false",
  "do-not-record",
  "true",
  "record-from-answer",
  "record-from-answer-dual",
  "record-from-ringing",
  "record-from-ringing-dual",
]).optional();

/** Calls one or more parties and connects the caller to the first that answers. */
export const dial = verb({
  name: "Dial",
  attributes: {
    action: z.string().optional(),
    method: methodAttribute,
    timeout: wholeNumber({ min: 1, max: limits.ringTimeoutMaxS, fallback: limits.dialTimeoutS }),
    timeLimit: wholeNumber({
      min: 1,
      max: limits.dialTimeLimitS,
      fallback: limits.dialTimeLimitS,
    }),
    callerId: z.string().max(255).optional(),
    hangupOnStar: boolean(false),
    record,
    recordingTrack: z.enum(["both", "inbound", "outbound"]).optional(),
    trim: z.enum(["trim-silence", "do-not-trim"]).optional(),
    ...recordingCallback,
    sequential: boolean(false),
    answerOnBridge: z.enum(["true", "false"]).optional(),
    ringTone: z.enum(ringToneNames).optional(),
    referUrl: z.string().optional(),
    referMethod: methodAttribute,
  },
  answers: false,
  hasElements: true,
  async compile(element, attributes, context) {
    const { method, timeout, timeLimit, callerId, hangupOnStar } = attributes;
    const from = callerId ?? context.call.from;
    const nouns = nounsOf(element);
    if (element.children.length > 0 && element.text !== "") {
      context.skip(`the text "${element.text.slice(0, 100)}" of Dial beside its nouns`);
    }
    const action = actionAttribute(element, method, context);
    const order = () => {
      if (!isRecorded(attributes.record, context)) return {};
      const manner = mannerOf(attributes);
      const { track = "both" } = manner.recordingManner ?? {};
      const ordered = { ...attributes, source: "DialVerb", track } as const;
      return { record: recordingOrder(element, ordered, context), ...manner };
    };
    const conference = nouns.find(({ name }) => name === "Conference" || name === "Queue");
    if (conference !== undefined) {
      if (nouns.length > 1) context.skip(`nouns of Dial beside its ${conference.name}`);
      const whole = { timeLimitS: timeLimit, hangupOnStar, action };
      if (conference.name === "Queue") {
        return queueStep(conference, { ...whole, ...order(), timeoutS: timeout }, context);
      }
      if (attributes.record !== undefined) {
        context.skip("record of Dial: its Conference has one of its own");
      }
      return conferenceStep(conference, whole, context);
    }
    if (nouns.length > limits.dialLegs) {
      context.skip(`nouns of Dial after the first ${limits.dialLegs}`);
    }
    const invited = nouns.slice(0, limits.dialLegs).map((noun) => invite(noun, from, context));
    const legs = (await Promise.all(invited)).filter((leg) => leg !== null);
    if (legs.length === 0) {
      context.skip("Dial: it has no destination that can be called");
      return notPerformed(action, { DialCallStatus: "failed", DialCallDuration: "0" });
    }
    const referUrl = urlAttribute(element, "referUrl", context);
    const { sequential, ringTone, referMethod } = attributes;
    const isAnsweredFirst = (attributes.answerOnBridge ??
      (hasTwilioDefaults(context) ? "false" : "true")) === "false";
    const answer: Step[] = isAnsweredFirst ? [{ type: "answer" }] : [];
    return [...answer, {
      type: "dial",
      legs,
      media: "anchored",
      timeoutS: timeout,
      timeLimitS: timeLimit,
      hangupOnStar,
      ...sequential && { sequential },
      ...ringTone && { ringTone },
      ...referUrl !== undefined && { refer: { url: referUrl, method: referMethod, hops: 0 } },
      ...order(),
      ...(action === undefined ? {} : { action }),
    }];
  },
});

/** Manner of the recording, where it is not both sides from end to end. */
function mannerOf(
  { recordingTrack, trim }: { recordingTrack?: string | undefined; trim?: string | undefined },
): { recordingManner?: RecordingManner } {
  const track = recordingTrack === "inbound" || recordingTrack === "outbound"
    ? recordingTrack
    : undefined;
  const manner: RecordingManner = {
    ...track && { track },
    ...trim === "trim-silence" && { trim: true },
  };
  return Object.keys(manner).length === 0 ? {} : { recordingManner: manner };
}

function isRecorded(record: string | undefined, context: CompileContext): boolean {
  if (record?.includes("ringing")) {
    context.skip(`value "${record}" of attribute "record" of Dial: it is recorded from the answer`);
  }
  return record !== undefined && record !== "false" && record !== "do-not-record";
}
