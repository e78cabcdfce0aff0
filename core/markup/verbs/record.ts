import { z } from "zod";
import { limits } from "../../limits.ts";
import type { RecordingMemo } from "../../recordings/memo.ts";
import { callbackOf, recordingCallback, recordingOrder } from "../recording_order.ts";
import { boolean, type CompileContext, methodAttribute, verb, wholeNumber } from "../verb.ts";

const anyKey = "0123456789*#";

/** Records the caller after a beep, and goes on at the action when there is something. */
export const record = verb({
  name: "Record",
  attributes: {
    action: z.string().optional(),
    method: methodAttribute,
    timeout: wholeNumber({
      min: 1,
      max: limits.recordTimeoutMostS,
      fallback: limits.recordTimeoutS,
    }),
    finishOnKey: z.string().regex(/^(-1|[0-9*#]{0,12})$/).optional()
      .transform((keys = anyKey) => keys === "-1" ? "" : keys),
    maxLength: wholeNumber({ min: 1, max: limits.recordMostS, fallback: limits.recordMaxS }),
    playBeep: boolean(true),
    trim: z.enum(["trim-silence", "do-not-trim"]).optional()
      .transform((trim) => trim !== "do-not-trim"),
    transcribe: boolean(false),
    transcribeCallback: z.string().optional(),
    transcribeCallbackMethod: methodAttribute,
    ...recordingCallback,
  },
  answers: true,
  compile(_, attributes, context) {
    const { action, method, timeout, finishOnKey, maxLength, playBeep, trim } = attributes;
    const next = callbackOf("action of Record", action, method, context);
    return [{
      type: "record",
      recording: recordingOrder(attributes, wantedText(attributes, context), context),
      timeoutS: timeout,
      finishOnKey,
      maxLengthS: maxLength,
      playBeep,
      trim,
      ...next && { action: { ...next, hops: context.hops } },
    }];
  },
});

/** Who wants to be told of the text wants the text. */
function wantedText(
  { transcribe, transcribeCallback: address, transcribeCallbackMethod: method }: {
    transcribe: boolean;
    transcribeCallback?: string | undefined;
    transcribeCallbackMethod: "GET" | "POST";
  },
  context: CompileContext,
): RecordingMemo {
  const transcribeCallback = callbackOf("transcribeCallback", address, method, context);
  if (!transcribe && transcribeCallback === undefined) return {};
  return { transcribe: true, ...transcribeCallback && { transcribeCallback } };
}
