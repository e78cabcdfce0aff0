import { z } from "zod";
import type { RecordingOrder } from "../protocol/recordings.ts";
import {
  type RecordingContext,
  type RecordingEvent,
  recordingEvents,
  type RecordingSource,
} from "../model/values/recording_context.ts";
import type { Element } from "./parse.ts";
import { type CompileContext, methodAttribute, urlAttribute } from "./verb.ts";

const namesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

const areEvents = (text: string): boolean =>
  namesOf(text).every((name) => recordingEvents.some((event) => event === name));

/** The callback of a recording, when it is complete unless other events are named. */
export const recordingCallback = {
  recordingStatusCallbackEvent: z.string().refine(areEvents).optional(),
  recordingStatusCallback: z.string().optional(),
  recordingStatusCallbackMethod: methodAttribute,
};

/** The callback of the transcription; setting it implies `transcribe=true`. */
export const transcription = {
  transcribe: z.enum(["true", "false"]).optional(),
  transcribeCallback: z.string().optional(),
  transcribeCallbackMethod: methodAttribute,
};

type Method = "GET" | "POST";

/** A recording to be made for the call, with what is to happen when it is there. */
export function recordingOrder(
  element: Element,
  attributes: {
    recordingStatusCallbackMethod: Method;
    recordingStatusCallbackEvent?: string | undefined;
    transcribe?: string | undefined;
    transcribeCallbackMethod?: Method;
    source: RecordingSource;
    track?: RecordingContext["track"];
  },
  context: CompileContext,
): RecordingOrder {
  const callback = (name: string, method: Method = "POST") => {
    const url = urlAttribute(element, name, context);
    return url === undefined ? undefined : { url, method };
  };
  const status = callback("recordingStatusCallback", attributes.recordingStatusCallbackMethod);
  const text = attributes.transcribeCallbackMethod === undefined
    ? undefined
    : callback("transcribeCallback", attributes.transcribeCallbackMethod);
  const { recordingStatusCallbackEvent: events } = attributes;
  const named: { events?: RecordingEvent[] } = events === undefined ? {} : {
    events: recordingEvents.filter((event) => namesOf(events).includes(event)),
  };
  const serviceContext: RecordingContext = {
    source: attributes.source,
    ...attributes.track !== undefined && { track: attributes.track },
    ...status && { statusCallback: { ...status, ...named } },
    ...(attributes.transcribe === "true" || text) && { transcribe: true },
    ...text && { transcribeCallback: text },
  };
  return {
    sid: context.newSid("RE"),
    accountSid: context.call.accountSid,
    ...status && named.events?.includes("absent") && { isAbsenceTold: true },
    serviceContext,
  };
}
