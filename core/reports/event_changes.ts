import type { LegEvent } from "../protocol/events.ts";
import type { PartialSpeech } from "../protocol/gather.ts";
import { callParameters, partialParameters } from "../calls/parameters.ts";
import { statusAfterHangUp } from "../calls/progress.ts";
import { unanswered } from "../base/exchange.ts";
import type { FaultName } from "../base/faults.ts";
import { isFlow } from "../model/flows/address.ts";
import { goOnFlow } from "../model/job_kinds.ts";
import type { Change } from "../model/store.ts";
import { notification } from "../webhooks/notify.ts";
import { callRequest } from "../webhooks/own_request.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import type { StepResult } from "./step_result.ts";

/** Changes that events make beside the status of a call: Notifications, webhooks and jobs. */

const endFaults = {
  "not-registered": "notRegistered",
  "media-lost": "mediaLost",
  "no-trunk": "trunkUnreachable",
  "no-route": undefined, // Its Notification was made when the document or the request was read.
  "no-codec": "noCommonCodec",
} as const;

type Ended = LegEvent & { type: "ended" };

/** Adds the Notification of an ending that the customer could have prevented. */
export function explainEnd(
  change: Change<Call>,
  ended: LegEvent & { type: "ended" },
  ports: Ports,
): Change<Call> {
  const { accountSid, sid: callSid, to, from, direction } = change.record;
  const fault = endFault(ended, direction);
  if (fault === undefined) return change;
  const peer = direction === "inbound" ? from : to;
  const detail = [peer, answerIn(fault, ended)].filter(Boolean).join(": ") + wayOf(ended);
  const exchange = callRequest(change.record, ports);
  const notice = { accountSid, callSid, fault, detail, level: "error" } as const;
  return { ...change, also: [notification({ ...notice, exchange }, ports)] };
}

/** Failures of the service, by the cause that the companion reports: no peer has refused the call. */
const ownFaults: { [C in NonNullable<Ended["disconnection"]>["cause"]]?: FaultName } = {
  "exhausted": "exhausted",
  "error": "companionFailed",
};

/** A failure is a refusal of the called side only where that side has answered. */
function endFault(
  { reason, outcome, sipStatus, disconnection }: Ended,
  direction: Call["direction"],
): FaultName | undefined {
  if (reason !== undefined) return endFaults[reason];
  if (outcome !== "failed" || sipStatus === undefined) return undefined;
  const own = disconnection?.by === "service" ? disconnection.cause : undefined;
  if (own !== undefined && own in ownFaults) return ownFaults[own];
  if (direction === "inbound") return undefined;
  return own === "unreachable" ? "notReached" : "callRefused";
}

/** The cause: SIP status and reason of a trunk or phone, or the reason why audio is lost. */
function answerIn(
  fault: FaultName,
  { sipStatus, detail = "", disconnection }: LegEvent & { type: "ended" },
): string {
  if (fault === "mediaLost") return disconnection?.text ?? detail;
  if (fault === "notReached") return disconnection?.text || detail || `SIP ${sipStatus}`;
  const isAnswered = fault === "callRefused" || fault === "trunkUnreachable";
  return isAnswered ? `SIP ${sipStatus} ${detail}`.trimEnd() : detail;
}

/** The Gateway that a call left by. Names of Gateways of accounts above are not shown. */
const wayOf = ({ gateway }: Ended): string =>
  gateway === undefined
    ? ""
    : gateway.name === undefined
    ? " (by a Gateway of an account above)"
    : ` (by Gateway ${gateway.name})`;

/** Requests the action of a step in which the caller hung up; the answer is ignored. */
export function requestAction(
  call: Call,
  { result, hasEnded = false, ports }: {
    result: StepResult | null;
    /** The leg is over, though its `ended` comes later. */
    hasEnded: boolean | undefined;
    ports: Ports;
  },
): Change<Call> {
  if (result === null) return { record: call };
  const { action: { url, method }, params: brought, event } = result;
  const { instanceId } = ports.settings;
  const { accountSid, sid: callSid } = call;
  if (isFlow(url)) {
    return { record: call, jobs: [goOnFlow({ accountSid, callSid, url, params: brought })] };
  }
  const status = hasEnded ? statusAfterHangUp(call) : call.status;
  const params = { ...callParameters(call, { instanceId, status }), ...brought };
  const webhook = { accountSid, callSid, url, method, params, event };
  return { record: call, jobs: [deliverWebhook(webhook)] };
}

/** Adds the Notification of a Refer that failed, whether it has an action or not. */
export function explainRefer(
  change: Change<Call>,
  { to, outcome, sipStatus }: LegEvent & { type: "referred" },
  ports: Ports,
): Change<Call> {
  if (outcome === "completed" || outcome === "canceled") return change;
  const { accountSid, sid: callSid } = change.record;
  const detail = `${to}: ${outcome}${sipStatus === undefined ? "" : ` (SIP ${sipStatus})`}`;
  const notice = { accountSid, callSid, fault: "referFailed", detail, level: "error" } as const;
  return { ...change, also: [notification(notice, ports)] };
}

/** Sends the partial result of speech recognition to the callback of a Gather. */
export function reportPartial(call: Call, event: PartialSpeech, { settings }: Ports): Change<Call> {
  const { accountSid, sid: callSid } = call;
  const { url, method } = event.callback;
  const params = { ...callParameters(call, settings), ...partialParameters(event) };
  const webhook = { accountSid, callSid, url, method, params, event: "gather.partial" };
  return { record: call, jobs: [deliverWebhook(webhook)] };
}

/** Notes the result of answering machine detection, and posts it to the callback of a noun. */
export function reportDetection(
  call: Call,
  { answeredBy, greetingEnd, durationMs, callback }: LegEvent & { type: "detected" },
  { settings }: Ports,
): Change<Call> {
  const record = { ...call, answeredBy, ...greetingEnd && { greetingEnd } };
  if (callback === undefined) return { record };
  const { accountSid, sid: callSid } = call;
  const params = {
    ...callParameters(record, settings),
    ...durationMs !== undefined && { MachineDetectionDuration: String(durationMs) },
  };
  const webhook = { accountSid, callSid, ...callback, params, event: "call.detected" };
  return { record, jobs: [deliverWebhook(webhook)] };
}

/** The Notification of audio that was dropped because its source address is unknown. */
export function unknownSourceNotice(
  call: Call,
  { address }: LegEvent & { type: "unknownSource" },
  ports: Ports,
) {
  const { accountSid, sid: callSid } = call;
  const notice = { accountSid, callSid, fault: "unknownAudioSource", detail: address } as const;
  return notification({ ...notice, level: "warning" }, ports);
}

const problemFaults = {
  recognition: "speechUnavailable",
  speech: "notSpoken",
  simulation: "markupSkipped",
  messages: "conversationMessages",
} as const;

/** The Notification of a step that could not be performed as the document asks. */
export function problemNotice(call: Call, event: LegEvent & { type: "problem" }, ports: Ports) {
  const { accountSid, sid: callSid } = call;
  const { url, message: detail, about } = event;
  const fault = about === undefined ? "audioUnavailable" : problemFaults[about];
  const exchange = unanswered({ url, method: url === "" ? "" : "GET", params: {} });
  const level = about === "messages" ? "warning" : "error";
  return notification({ accountSid, callSid, detail, exchange, fault, level }, ports);
}
