import { z } from "zod";
import type { RecordingManner, RecordingOrder } from "../protocol/recordings.ts";
import type { Step } from "../protocol/script.ts";
import { limits } from "../base/limits.ts";
import type { DequeueOptions } from "../model/values/queue_options.ts";
import type { Element } from "./parse.ts";
import {
  type CompileContext,
  methodAttribute,
  notPerformed,
  readAttributes,
  urlAttribute,
} from "./verb.ts";
import type { RoomDial } from "./conference.ts";

/** Attributes of the noun `Queue` of Dial: markup for the call that waits, before the two talk. */
export const queueAttributes = { url: z.string().optional(), method: methodAttribute };

/** The step of a Queue noun; none, with a note, when it names no queue. */
export function queueStep(
  noun: Element,
  { action, record, recordingManner, ...dial }: RoomDial & {
    timeoutS: number;
    record?: RecordingOrder;
    recordingManner?: RecordingManner;
  },
  context: CompileContext,
): Step[] {
  const { method } = readAttributes(noun, queueAttributes, context);
  const name = noun.text;
  if (name === "" || name.length > limits.queueNameLength) {
    context.skip(`Queue "${name}" of Dial: its name has 1 to 64 characters`);
    return notPerformed(action, { DialCallStatus: "failed", DialCallDuration: "0" });
  }
  const url = urlAttribute(noun, "url", context);
  const serviceContext: DequeueOptions = {
    kind: "dequeue",
    name,
    ...dial,
    ...url !== undefined && { whisper: { url, method, hops: 0 } },
    ...record && { record, ...recordingManner && { recordingManner } },
  };
  return [{ type: "consult", serviceContext, ...action && { action } }];
}
