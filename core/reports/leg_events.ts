import type { DatedReport } from "../protocol/companion.ts";
import type { LegEvent } from "../protocol/events.ts";
import type { Script } from "../protocol/script.ts";
import {
  conferenceParameters,
  dialParameters,
  gatherParameters,
  legParameters,
  referParameters,
} from "../calls/parameters.ts";
import { end, type Moment, progress } from "../calls/progress.ts";
import {
  leaveAllConferences,
  leaveConference,
  takeJoined,
} from "../conferences/membership_events.ts";
import { placeChild, receive } from "../documents/new_leg.ts";
import {
  actionScript,
  firstScript,
  openingScript,
  type ScriptContext,
  waitScript,
} from "../documents/next_script.ts";
import type { Change } from "../model/store.ts";
import type { Ports } from "../model/ports/ports.ts";
import { queueParameters, waitParameters } from "../conferences/enqueue.ts";
import { leaveQueue, takeQueued } from "../conferences/queue_membership_events.ts";
import { recordingParameters } from "../recordings/parameters.ts";
import type { Call } from "../model/resources/calls.ts";
import { conversedNotices, conversedParameters } from "../streams/conversation_script.ts";
import { endStreams, takeStreamEvent } from "../streams/stream_events.ts";
import { streamedParameters } from "../streams/stream_script.ts";
import { consultScript } from "./consult.ts";
import {
  explainEnd,
  explainRefer,
  problemNotice,
  reportDetection,
  reportPartial,
  requestAction,
  unknownSourceNotice,
} from "./event_changes.ts";
import type { Noted } from "./noted.ts";
import { numberScript, receiveForNumber } from "./number_leg.ts";
import { referScript } from "./refer.ts";
import { routeIncoming } from "./route_incoming.ts";
import { reportTranscribed } from "./transcribed.ts";
import { resultAt, type StepResult } from "./step_result.ts";

/** The context of `change` besides the call and the event. */
export interface Changing {
  moment: Moment;
  /** The result of the step, where no script is wanted: its action is requested by a webhook. */
  result: StepResult | null;
  /** Records and jobs of a `note`. */
  noted: Noted | null;
  hasEnded: boolean | undefined;
  ports: Ports;
}

/** The service's rule for one type of event. */
export interface EventRule<E> {
  /** Makes the call, or finds it; unless given, or undefined, `change` is applied to the leg's call. */
  open?(event: E, report: DatedReport, ports: Ports): Promise<Call | null> | undefined;
  /** The change of the call; none unless given. */
  change?(call: Call, event: E, changing: Changing): Change<Call>;
  /** Performed after the commit. */
  settle?(event: E, call: Call, report: DatedReport, ports: Ports): Promise<void>;
  /** Result of the step, for its action; null without an action. */
  result?(
    event: E,
    call: Pick<Call, "accountSid" | "apiVersion">,
    ports: Ports,
  ): StepResult | null | Promise<StepResult | null>;
  /** The script that answers; unless given, that of the result's action, or an empty one. */
  script?(event: E, context: ScriptContext): Promise<Script>;
  /** Answers for a call that is over; a hang-up unless given. */
  whenOver?(call: Call): Script[number] | undefined;
  /** Answers where there is no call; a hang-up unless given. */
  withoutCall?: Script;
}

type EventOf<T extends LegEvent["type"]> = Extract<LegEvent, { type: T }>;

const rules: { [T in LegEvent["type"]]: EventRule<EventOf<T>> } = {
  incoming: { open: receive, script: routeIncoming },
  incomingNumber: {
    open: receiveForNumber,
    script: (_, context) => numberScript(context),
    withoutCall: [{ type: "reject", status: 404 }],
  },
  inviting: {
    open: (event, report, ports) =>
      event.parent === undefined
        ? undefined
        : placeChild({ ...event, parent: event.parent }, report, ports),
    change: (call, { sipCallId }, { moment }) =>
      progress({ ...call, sipCallId }, "initiated", moment),
    script: () => Promise.resolve([{ type: "connect" }]), // The limits have let it in.
    whenOver({ disconnection }) {
      if (disconnection?.cause !== "limit") return undefined;
      const { sipStatus = 503, text } = disconnection;
      return { type: "reject", status: sipStatus, ...text && { text } };
    },
  },
  ringing: { change: (call, _, { moment }) => progress(call, "ringing", moment) },
  answered: {
    change: (call, _, { moment }) => progress(call, "in-progress", moment),
    script: (_, context) => openingScript(context),
  },
  detected: {
    change: (call, event, { ports }) => reportDetection(call, event, ports),
    script: (_, context) => firstScript(context),
  },
  next: { script: ({ action }, context) => actionScript(action, {}, context) },
  gathered: {
    result: (event) => resultAt(event.action, gatherParameters(event), "gather.action"),
  },
  collected: {
    result: ({ action, text }) => resultAt(action, { Digits: text }, "ussd.action"),
  },
  partial: { change: (call, event, { ports }) => reportPartial(call, event, ports) },
  noted: {
    change(call, _, changing) {
      const { record, jobs = [] } = requestAction(call, changing);
      const { also, jobs: ordered } = changing.noted!; // handle_report.ts performs it first.
      return { record, also, jobs: [...jobs, ...ordered] };
    },
  },
  referred: {
    change: (call, event, changing) =>
      explainRefer(requestAction(call, changing), event, changing.ports),
    result: (event) => resultAt(event.action, referParameters(event), "refer.action"),
  },
  dialled: {
    change: (call, event, changing) =>
      requestAction({ ...call, dialled: legParameters(event) }, changing),
    async result(event, call, ports) {
      const recording = await recordingParameters(call, event.recording, ports);
      return resultAt(event.action, { ...dialParameters(event), ...recording }, "dial.action");
    },
  },
  recorded: {
    change: (call, _, changing) => requestAction(call, changing),
    async result({ action, digits, recording }, call, ports) {
      const params = await recordingParameters(call, recording, ports);
      return resultAt(action, { ...digits && { Digits: digits }, ...params }, "record.action");
    },
  },
  consulting: { script: consultScript },
  joined: {
    change: (call, { conferenceSid }) => ({ record: { ...call, conferenceSid } }),
    settle: takeJoined,
  },
  left: {
    change: (call, _, changing) => requestAction({ ...call, conferenceSid: null }, changing),
    settle: ({ conferenceSid }, call, { at }, ports) =>
      leaveConference(call, { sid: conferenceSid, at }, ports),
    async result(event, call, ports) {
      const recording = await recordingParameters(call, event.recording, ports);
      return resultAt(
        event.action,
        { ...conferenceParameters(event), ...recording },
        "dial.action",
      );
    },
  },
  queued: {
    change: (call, { queueSid }) => ({ record: { ...call, queueSid } }),
    settle: takeQueued,
  },
  dequeued: {
    change: (call, _, changing) => requestAction({ ...call, queueSid: null }, changing),
    settle: ({ queueSid }, call, _, ports) => leaveQueue(call, queueSid, ports),
    result: (event) => resultAt(event.action, queueParameters(event), "enqueue.action"),
  },
  transcribed: { change: (call, event, { ports }) => reportTranscribed(call, event, ports) },
  stream: { settle: takeStreamEvent },
  streamed: {
    change: (call, _, changing) => requestAction(call, changing),
    async result({ action, sid }, { accountSid }, ports) {
      const params = await streamedParameters({ accountSid, sid }, ports);
      return resultAt(action, params, "connect.action");
    },
  },
  conversed: {
    change(call, event, changing) {
      const change = requestAction(call, changing);
      return { ...change, also: conversedNotices(call, event, changing.ports) };
    },
    result: (event) => resultAt(event.action, conversedParameters(event), "connect.action"),
  },
  waiting: {
    async script({ action, queueSid, gathered }, context) {
      const place = queueSid === undefined ? {} : await waitParameters(queueSid, context);
      return await waitScript(
        action,
        { ...place, ...gathered && gatherParameters(gathered) },
        context,
      );
    },
  },
  refer: { script: referScript },
  problem: {
    change: (call, event, { ports }) => ({
      record: call,
      also: [problemNotice(call, event, ports)],
    }),
  },
  unknownSource: {
    change: (call, event, { ports }) => ({
      record: call,
      also: [unknownSourceNotice(call, event, ports)],
    }),
  },
  ended: {
    change(call, event, { moment, ports }) {
      const left = event.gateway === undefined ? call : { ...call, leftBy: event.gateway };
      const change = end(left, event.outcome, moment, disconnectionIn(event));
      const isKnown = call.disconnection?.cause === "limit"; // A Notification has said why.
      return isKnown ? change : explainEnd(change, event, ports);
    },
    async settle(_, call, { at }, ports) {
      await leaveAllConferences(call, at, ports);
      await leaveQueue(call, call.queueSid, ports);
      if (call.hasStreams !== false) await endStreams(call, at, ports);
    },
  },
};

/** The side that ended a leg, with the SIP status of the end; null where that is not reported. */
function disconnectionIn({ disconnection, sipStatus }: EventOf<"ended">): Call["disconnection"] {
  return disconnection === undefined
    ? null
    : { ...disconnection, ...sipStatus !== undefined && { sipStatus } };
}

/** The rule for an event: one for each type, which the compiler checks. */
export const ruleOf = (event: LegEvent): EventRule<LegEvent> => rules[event.type];
