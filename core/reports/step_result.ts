import type { Action } from "../protocol/action.ts";
import type { LegEvent } from "../protocol/events.ts";
import type { Ports } from "../ports/ports.ts";
import { recordingParameters } from "../recordings/parameters.ts";
import { queueParameters } from "../queues/enqueue.ts";
import {
  dialParameters,
  gatherParameters,
  referParameters,
  roomParameters,
} from "../calls/parameters.ts";

/** What a step came to, for the document at its action. */
export interface StepResult {
  action: Action;
  params: Record<string, string>;
  /** What a delivery of it is named. */
  event: string;
}

/** The result that a report brings; null where it brings none, or the step has no action. */
export async function resultOf(
  event: LegEvent,
  accountSid: string,
  ports: Ports,
): Promise<StepResult | null> {
  switch (event.type) {
    case "dialled":
    case "recorded": {
      const recording = await recordingParameters(accountSid, event.recording, ports);
      const digits = event.type === "recorded" && event.digits ? { Digits: event.digits } : {};
      const params = event.type === "dialled" ? dialParameters(event) : digits;
      const name = event.type === "dialled" ? "dial.action" : "record.action";
      return result(event.action, { ...params, ...recording }, name);
    }
    case "gathered":
      return result(event.action, gatherParameters(event), "gather.action");
    case "collected":
      return result(event.action, { Digits: event.text }, "ussd.action");
    case "referred":
      return result(event.action, referParameters(event), "refer.action");
    case "left": {
      const recording = await recordingParameters(accountSid, event.recording, ports);
      return result(event.action, { ...roomParameters(event), ...recording }, "dial.action");
    }
    case "dequeued":
      return result(event.action, queueParameters(event), "enqueue.action");
    default:
      return null;
  }
}

const result = (
  action: Action | undefined,
  params: Record<string, string>,
  event: string,
): StepResult | null => action === undefined ? null : { action, params, event };
