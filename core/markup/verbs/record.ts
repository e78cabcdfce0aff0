import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { recordingCallback, recordingOrder, transcription } from "../recording_order.ts";
import {
  actionOrDocument,
  boolean,
  hasTwilioDefaults,
  keySet,
  methodAttribute,
  verb,
  wholeNumber,
} from "../verb.ts";

/** `-1` is the other word for none. */
const finishOnKey = z.preprocess((keys) => keys === "-1" ? "" : keys, keySet("0123456789*#"));

/** Records the caller after a beep, and goes on at the action when there is something. */
export const record = verb({
  name: "Record",
  attributes: {
    action: z.string().optional(),
    method: methodAttribute,
    timeout: wholeNumber({
      min: 1,
      max: limits.recordTimeoutMaxS,
      fallback: limits.recordTimeoutS,
    }),
    finishOnKey,
    maxLength: wholeNumber({
      min: 1,
      max: limits.recordLengthMaxS,
      fallback: limits.recordLengthS,
    }),
    playBeep: boolean(true),
    trim: z.enum(["trim-silence", "do-not-trim"]).optional(),
    ...transcription,
    ...recordingCallback,
  },
  answers: true,
  compile(element, attributes, context) {
    const { method, timeout, finishOnKey, maxLength, playBeep, trim } = attributes;
    const action = actionOrDocument(element, method, context);
    return [{
      type: "record",
      recording: recordingOrder(element, {
        ...attributes,
        source: "RecordVerb",
        track: "inbound",
      }, context),
      timeoutS: timeout,
      finishOnKey,
      maxLengthS: maxLength,
      playBeep,
      trim: (trim ?? (hasTwilioDefaults(context) ? "do-not-trim" : "trim-silence")) !==
        "do-not-trim",
      ...action && { action },
    }];
  },
});
