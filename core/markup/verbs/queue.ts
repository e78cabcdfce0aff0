import type { RecordingOrder } from "../../protocol/recordings.ts";
import type { Step } from "../../protocol/script.ts";
import { limits } from "../../base/limits.ts";
import type { DequeueWanted } from "../../values/queue_wanted.ts";
import type { Element } from "../parse.ts";
import { type CompileContext, notPerformed, readAttributes } from "../verb.ts";
import type { RoomDial } from "./conference.ts";

/** The step of a Queue noun; none, with a note, when it names no queue. */
export function queueStep(
  noun: Element,
  { action, record, ...dial }: RoomDial & { timeoutS: number; record?: RecordingOrder },
  context: CompileContext,
): Step[] {
  readAttributes(noun, {}, context);
  const name = noun.text;
  if (name === "" || name.length > limits.queueNameLength) {
    context.skip(`Queue "${name}" of Dial: its name has 1 to 64 characters`);
    return notPerformed(action, { DialCallStatus: "failed", DialCallDuration: "0" });
  }
  const serviceContext: DequeueWanted = { kind: "dequeue", name, ...dial, ...record && { record } };
  return [{ type: "consult", serviceContext, ...action && { action } }];
}
