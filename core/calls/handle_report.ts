import type { Report } from "../bridge.ts";
import type { LegEvent } from "../bridge_events.ts";
import type { Script } from "../bridge_script.ts";
import { withPeers } from "../companions.ts";
import { takeRoomNews } from "../conferences/take_news.ts";
import { unanswered } from "../exchange.ts";
import { notification } from "../notify.ts";
import { queueParameters, waitParameters } from "../queues/enqueue.ts";
import { takeQueueNews } from "../queues/take_news.ts";
import type { Change, Ports } from "../ports.ts";
import type { Call } from "../resources/calls.ts";
import { actionTold, afterQueue, afterRoom, partialTold, referred } from "./action_told.ts";
import { placeChild, receive } from "./new_leg.ts";
import { actionScript, type Asking, firstScript, waitScript } from "./next_script.ts";
import { numberScript, receiveForNumber } from "./number_leg.ts";
import { dialParameters, gatherParameters, referParameters, roomParameters } from "./parameters.ts";
import { end, progress } from "./progress.ts";
import { consultScript } from "./consult.ts";
import { referScript } from "./refer.ts";
import { routeIncoming } from "./route_incoming.ts";
import { isLive } from "./status.ts";

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
  const call = await record(report, ports);
  if (call !== null) await takeRoomNews(report, call, ports);
  if (call !== null) await takeQueueNews(report, call, ports);
  if (report.event.type === "ended") return [];
  if (call === null && report.event.type === "incomingNumber") {
    return [{ type: "reject", status: 404 }];
  }
  if (call === null || !isLive(call.status)) return [{ type: "hangup" }];
  if (!report.wantsScript) return [];
  const cause = { at: report.at, id: `${report.leg} ${report.seq}` };
  const script = await scriptFor(report.event, { call, ports, signal, cause });
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
      return actionScript(event.action, gatherParameters(event), asking);
    case "dialled":
      return event.action === undefined
        ? []
        : actionScript(event.action, dialParameters(event), asking);
    case "consulting":
      return consultScript(event, asking);
    case "waiting":
      return waited(event, asking);
    case "dequeued":
      return event.action === undefined
        ? []
        : actionScript(event.action, queueParameters(event), asking);
    case "left":
      return event.action === undefined
        ? []
        : actionScript(event.action, roomParameters(event), asking);
    case "referred":
      return event.action === undefined
        ? []
        : actionScript(event.action, referParameters(event), asking);
    default:
      return [];
  }
}

async function waited(
  { action, queueSid }: LegEvent & { type: "waiting" },
  asking: Asking,
): Promise<Script> {
  const params = queueSid === undefined ? {} : await waitParameters(queueSid, asking);
  return await waitScript(action, params, asking);
}

/** Commits what a report says; returns the call as it is then, null when there is none. */
async function record(report: Report, ports: Ports): Promise<Call | null> {
  const { leg, accountSid, event } = report;
  if (event.type === "incoming") return await receive(event, report, ports);
  if (event.type === "incomingNumber") return await receiveForNumber(event, report, ports);
  if (event.type === "inviting" && event.parent !== undefined) {
    return await placeChild(event, report, ports);
  }
  if (await ports.records.calls.get(accountSid, leg) === null) return null;
  return await ports.records.calls.update(accountSid, leg, (call) => applied(call, report, ports));
}

/** What a report changes. `seq` tells a repeat, which changes nothing. */
function applied(call: Call, report: Report, ports: Ports): Change<Call> {
  const { event, seq } = report;
  if (seq < call.reports) return { record: call };

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
      return report.wantsScript ? { record: taken } : actionTold(
        taken,
        { action: event.action, brought: dialParameters(event), event: "dial.action" },
        ports,
      );
    case "joined":
      return { record: { ...taken, conferenceSid: event.conferenceSid } };
    case "left":
      return afterRoom({ ...taken, conferenceSid: null }, event, report, ports);
    case "queued":
      return { record: { ...taken, queueSid: event.queueSid } };
    case "dequeued":
      return afterQueue({ ...taken, queueSid: null }, event, report, ports);
    case "referred":
      return referred(taken, event, report, ports);
    case "partial":
      return partialTold(taken, event, ports);
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
} as const;

/** Adds the Notification of an ending that the customer could have prevented. */
function explained(
  change: Change<Call>,
  { reason }: LegEvent & { type: "ended" },
  ports: Ports,
): Change<Call> {
  if (reason === undefined) return change;
  const { accountSid, sid: callSid, to, from, direction } = change.record;
  const detail = direction === "inbound" ? from : to;
  const notice = { accountSid, callSid, fault: endFaults[reason], detail, level: "error" } as const;
  return { ...change, also: [notification(notice, ports)] };
}

function problemOf(call: Call, event: LegEvent & { type: "problem" }, ports: Ports) {
  const { accountSid, sid: callSid } = call;
  const { url, message: detail, about } = event;
  const fault = about === "recognition" ? "speechUnavailable" : "audioUnavailable";
  const exchange = unanswered({ url, method: url === "" ? "" : "GET", params: {} });
  return notification({ accountSid, callSid, detail, exchange, fault, level: "error" }, ports);
}
