import type { Report } from "../protocol/companion.ts";
import type { LegEvent } from "../protocol/events.ts";
import type { PartialSpeech } from "../protocol/gather.ts";
import type { Script } from "../protocol/script.ts";
import { withPeers } from "../companions/companions.ts";
import { takeRoomNews } from "../conferences/take_news.ts";
import { unanswered } from "../base/exchange.ts";
import { isFlow } from "../flows/address.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import { goOnFlow } from "../model/job_kinds.ts";
import { notification } from "../notifications/notify.ts";
import { callRequest } from "../notifications/own_request.ts";
import type { Ports } from "../ports/ports.ts";
import type { Change } from "../model/store.ts";
import { waitParameters } from "../queues/enqueue.ts";
import { takeQueueNews } from "../queues/take_news.ts";
import type { Call } from "../resources/calls.ts";
import { consultScript } from "./consult.ts";
import { placeChild, receive } from "../documents/new_leg.ts";
import { actionScript, type Asking, firstScript, waitScript } from "../documents/next_script.ts";
import { type Noted, notedBy } from "./noted.ts";
import { numberScript, receiveForNumber } from "./number_leg.ts";
import {
  callParameters,
  gatherParameters,
  legParameters,
  partialParameters,
} from "../calls/parameters.ts";
import { end, progress, statusAfterHangUp } from "../calls/progress.ts";
import { referScript } from "./refer.ts";
import { routeIncoming } from "./route_incoming.ts";
import { isLive } from "../values/status.ts";
import { resultOf, type StepResult } from "./step_result.ts";

/**
 * Takes one report of a companion: commits what it says, then finds the script that answers it. A
 * repeated report changes nothing and is answered again; one about a call that has ended meanwhile
 * is answered with a hang-up.
 */
export async function handleReport(
  report: Report,
  ports: Ports,
  signal: AbortSignal,
): Promise<Script> {
  const { event } = report;
  const noted = event.type === "noted" ? await notedBy(event, report, ports) : null;
  const call = await record(report, noted, ports);
  if (call !== null) await takeRoomNews(report, call, ports);
  if (call !== null) await takeQueueNews(report, call, ports);
  if (event.type === "ended") return [];
  if (call === null && event.type === "incomingNumber") {
    return [{ type: "reject", status: 404 }];
  }
  if (call === null || !isLive(call.status)) return [{ type: "hangup" }];
  if (!report.wantsScript) return [];
  const cause = { at: report.at, id: `${report.leg} ${report.seq}` };
  const asking = { call, ports, signal, cause };
  const script = noted === null
    ? await scriptFor(event, asking)
    : await resultScript(noted.result, asking);
  return await withPeers(script, report.companion, ports);
}

function scriptFor(event: LegEvent, asking: Asking): Promise<Script> | Script {
  switch (event.type) {
    case "incoming":
      return routeIncoming(event, asking);
    case "incomingNumber":
      return numberScript(asking);
    case "refer":
      return referScript(event, asking);
    case "answered":
    case "detected":
      return firstScript(asking);
    case "next":
      return actionScript(event.action, {}, asking);
    case "gathered":
    case "collected":
    case "dialled":
    case "recorded":
    case "referred":
    case "left":
    case "dequeued":
      return afterStep(event, asking);
    case "consulting":
      return consultScript(event, asking);
    case "waiting":
      return waited(event, asking);
    default:
      return [];
  }
}

async function afterStep(event: LegEvent, asking: Asking): Promise<Script> {
  return await resultScript(
    await resultOf(event, asking.call.accountSid, asking.ports),
    asking,
  );
}

const resultScript = async (result: StepResult | null, asking: Asking): Promise<Script> =>
  result === null ? [] : await actionScript(result.action, result.params, asking);

async function waited(
  { action, queueSid, gathered }: LegEvent & { type: "waiting" },
  asking: Asking,
): Promise<Script> {
  const place = queueSid === undefined ? {} : await waitParameters(queueSid, asking);
  const params = { ...place, ...gathered && gatherParameters(gathered) };
  return await waitScript(action, params, asking);
}

/** Commits what a report says; returns the call as it is then, null when there is none. */
async function record(
  report: Report,
  noted: Noted | null,
  ports: Ports,
): Promise<Call | null> {
  const { leg, accountSid, event } = report;
  if (event.type === "incoming") return await receive(event, report, ports);
  if (event.type === "incomingNumber") return await receiveForNumber(event, report, ports);
  if (event.type === "inviting" && event.parent !== undefined) {
    return await placeChild(event, report, ports);
  }
  if (await ports.records.calls.get(accountSid, leg) === null) return null;
  const result = () => noted === null ? resultOf(event, accountSid, ports) : noted.result;
  const told = report.wantsScript ? null : await result();
  return await ports.records.calls.update(
    accountSid,
    leg,
    (call) => applied(call, report, { told, noted, ports }),
  );
}

/** What a report changes. `seq` tells a repeat, which changes nothing. */
function applied(
  call: Call,
  report: Report,
  { told, noted, ports }: { told: StepResult | null; noted: Noted | null; ports: Ports },
): Change<Call> {
  const { event, seq, hasEnded } = report;
  if (seq < call.reports) return { record: call };
  const actionTold = (call: Call) =>
    told === null ? { record: call } : tellAction(call, told, ports, hasEnded);

  const taken: Call = { ...call, reports: seq + 1, companion: report.companion };
  const moment = { at: report.at, instanceId: ports.settings.instanceId };
  switch (event.type) {
    case "inviting":
      return progress({ ...taken, sipCallId: event.sipCallId }, "initiated", moment);
    case "ringing":
      return progress(taken, "ringing", moment);
    case "answered":
      return progress(taken, "in-progress", moment);
    case "detected":
      return { record: { ...taken, answeredBy: event.answeredBy } };
    case "ended":
      return explained(end(taken, event.outcome, moment), event, ports);
    case "dialled":
      return actionTold({ ...taken, dialled: legParameters(event) });
    case "recorded":
      return actionTold(taken);
    case "noted": {
      const change = actionTold(taken);
      return { ...change, also: noted!.also, jobs: [...change.jobs ?? [], ...noted!.jobs] };
    }
    case "joined":
      return { record: { ...taken, conferenceSid: event.conferenceSid } };
    case "left":
      return actionTold({ ...taken, conferenceSid: null });
    case "queued":
      return { record: { ...taken, queueSid: event.queueSid } };
    case "dequeued":
      return actionTold({ ...taken, queueSid: null });
    case "referred":
      return referred(taken, event, { change: actionTold(taken), ports });
    case "partial":
      return partialTold(taken, event, ports);
    case "unknownSource":
      return { record: taken, also: [unknownSourceOf(taken, event, ports)] };
    case "problem":
      return { record: taken, also: [problemOf(taken, event, ports)] };
    default:
      return { record: taken };
  }
}

const endFaults = {
  "not-registered": "notRegistered",
  "media-lost": "mediaLost",
  "no-trunk": "trunkUnreachable",
  "no-codec": "noCommonCodec",
} as const;

/** Adds the Notification of an ending that the customer could have prevented. */
function explained(
  change: Change<Call>,
  { reason, detail: why }: LegEvent & { type: "ended" },
  ports: Ports,
): Change<Call> {
  if (reason === undefined) return change;
  const { accountSid, sid: callSid, to, from, direction } = change.record;
  const peer = direction === "inbound" ? from : to;
  const detail = why === undefined ? peer : `${peer}: ${why}`;
  const exchange = callRequest(change.record, ports);
  const notice = { accountSid, callSid, fault: endFaults[reason], detail, level: "error" } as const;
  return { ...change, also: [notification({ ...notice, exchange }, ports)] };
}

/** The caller left inside the step: its action is still requested, and the answer ignored. */
function tellAction(
  call: Call,
  { action: { url, method }, params: brought, event }: StepResult,
  { settings: { instanceId } }: Ports,
  hasEnded = false,
): Change<Call> {
  const { accountSid, sid: callSid } = call;
  if (isFlow(url)) {
    return { record: call, jobs: [goOnFlow({ accountSid, callSid, url, params: brought })] };
  }
  const status = hasEnded ? statusAfterHangUp(call) : call.status;
  const params = { ...callParameters(call, { instanceId, status }), ...brought };
  const told = { accountSid, callSid, url, method, params, event };
  return { record: call, jobs: [deliverWebhook(told)] };
}

/** What became of a Refer; a failure is told of where there is an action, too. */
function referred(
  call: Call,
  { to, outcome, sipStatus }: LegEvent & { type: "referred" },
  { change, ports }: { change: Change<Call>; ports: Ports },
): Change<Call> {
  if (outcome === "completed" || outcome === "canceled") return change;
  const { accountSid, sid: callSid } = call;
  const detail = `${to}: ${outcome}${sipStatus === undefined ? "" : ` (SIP ${sipStatus})`}`;
  const notice = { accountSid, callSid, fault: "referFailed", detail, level: "error" } as const;
  return { ...change, also: [notification(notice, ports)] };
}

/** What a caller said so far, to whom a Gather wants it told. */
function partialTold(call: Call, event: PartialSpeech, { settings }: Ports): Change<Call> {
  const { accountSid, sid: callSid } = call;
  const { url, method } = event.callback;
  const params = { ...callParameters(call, settings), ...partialParameters(event) };
  const told = { accountSid, callSid, url, method, params, event: "gather.partial" };
  return { record: call, jobs: [deliverWebhook(told)] };
}

/** The Notification of audio that was dropped for the address that it came from. */
function unknownSourceOf(
  call: Call,
  { address }: LegEvent & { type: "unknownSource" },
  ports: Ports,
) {
  const { accountSid, sid: callSid } = call;
  const notice = { accountSid, callSid, fault: "unknownAudioSource", detail: address } as const;
  return notification({ ...notice, level: "warning" }, ports);
}

const problemFaults = { recognition: "speechUnavailable", speech: "notSpoken" } as const;

function problemOf(call: Call, event: LegEvent & { type: "problem" }, ports: Ports) {
  const { accountSid, sid: callSid } = call;
  const { url, message: detail, about } = event;
  const fault = about === undefined ? "audioUnavailable" : problemFaults[about];
  const exchange = unanswered({ url, method: url === "" ? "" : "GET", params: {} });
  return notification({ accountSid, callSid, detail, exchange, fault, level: "error" }, ports);
}
