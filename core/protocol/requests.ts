import { z } from "zod";
import {
  conferenceAnswer,
  conferenceOrder,
  credentialsAnswer,
  credentialsQuery,
  eventsAnswer,
  eventsRequest,
  heartbeat,
  invalidation,
  muteAnswer,
  muteRequest,
  protocolLimits,
  runAnswer,
  runRequest,
  runsAnswer,
  runsRequest,
  scriptAnswer,
  scriptRequests,
} from "./companion.ts";
import {
  displayReport,
  messageAnswer,
  messageLimits,
  messageOrder,
  messageOutcome,
  messageReport,
  notificationOrder,
  outwardOrder,
  outwardOutcome,
  trunkMessage,
} from "./messages.ts";
import {
  recordingAnswer,
  recordingPart,
  recordingRequest,
  recordingRequestAnswer,
} from "./recordings.ts";
import {
  bindingsAnswer,
  bindingsRequest,
  heartbeatAnswer,
  presenceAnswer,
  presenceChanges,
} from "./registrations.ts";
import {
  gatewayReport,
  gatewaysAnswer,
  gatewaysQuery,
  numberAnswer,
  numberQuery,
} from "./trunks.ts";
import { levelsAnswer, levelsRequest } from "./leg_tasks.ts";
import { streamAnswer, streamRequest } from "./streams.ts";
import { traceLimits, traceReport } from "./traces.ts";

/**
 * Every request between service and companion: clients, routes and validation of both sides derive
 * from these two tables. A request is a signed POST (`signature.ts`) of JSON whose secrets are sealed
 * (`seal.ts`).
 */

/** One request: its path, content and answer. */
export interface ProtocolRequest {
  path: string;
  request: z.ZodType;
  /** Of a stream: each of its lines. */
  answer: z.ZodType;
  /** The answer is a stream of lines of JSON, each sent as soon as it is there. */
  isStream?: true;
  /** The largest body, in bytes; `protocolLimits.bodyBytes` unless given. */
  maxBytes?: number;
  /** Time limit of the answer, in ms; the client's usual one by default. */
  answerMs?: number;
}

/** Requests by name. */
export type ProtocolRequests = Record<string, ProtocolRequest>;

const nothing = z.object({});

/** From a companion to the service. */
export const serviceRequests = {
  scripts: {
    path: "/bridge/questions",
    request: scriptRequests,
    answer: scriptAnswer,
    isStream: true,
    maxBytes: protocolLimits.largeBodyBytes,
  },
  events: { path: "/bridge/news", request: eventsRequest, answer: eventsAnswer },
  credentials: {
    path: "/bridge/credentials",
    request: credentialsQuery,
    answer: credentialsAnswer,
  },
  heartbeat: {
    path: "/bridge/heartbeat",
    request: heartbeat,
    answer: heartbeatAnswer,
    maxBytes: protocolLimits.largeBodyBytes,
  },
  presence: { path: "/bridge/presence", request: presenceChanges, answer: presenceAnswer },
  number: { path: "/bridge/number", request: numberQuery, answer: numberAnswer },
  gateways: { path: "/bridge/gateways", request: gatewaysQuery, answer: gatewaysAnswer },
  gateway: { path: "/bridge/gateway", request: gatewayReport, answer: nothing },
  message: { path: "/bridge/message", request: messageReport, answer: messageAnswer },
  display: { path: "/bridge/display", request: displayReport, answer: messageAnswer },
  trunkMessage: { path: "/bridge/trunkMessage", request: trunkMessage, answer: messageAnswer },
  trace: {
    path: "/bridge/trace",
    request: traceReport,
    answer: nothing,
    maxBytes: traceLimits.bodyBytes,
    answerMs: traceLimits.answerMs,
  },
  recordingPart: { path: "/bridge/recording", request: recordingPart, answer: recordingAnswer },
} as const satisfies ProtocolRequests;

/** From the service to a companion. */
export const companionRequests = {
  run: { path: "/run", request: runRequest, answer: runAnswer },
  runs: {
    path: "/runs",
    request: runsRequest,
    answer: runsAnswer,
    maxBytes: protocolLimits.largeBodyBytes,
  },
  mute: { path: "/mute", request: muteRequest, answer: muteAnswer },
  invalidate: { path: "/invalidate", request: invalidation, answer: nothing },
  bindings: { path: "/bindings", request: bindingsRequest, answer: bindingsAnswer },
  /** The companion's answer to `gateways` may have changed. */
  gatewaysChanged: { path: "/gateways", request: nothing, answer: nothing },
  message: {
    path: "/message",
    request: messageOrder,
    answer: messageOutcome,
    answerMs: messageLimits.orderMs,
  },
  notification: {
    path: "/notification",
    request: notificationOrder,
    answer: messageOutcome,
    answerMs: messageLimits.orderMs,
  },
  outwardMessage: {
    path: "/outward-message",
    request: outwardOrder,
    answer: outwardOutcome,
    answerMs: messageLimits.outwardMs,
  },
  recording: { path: "/recording", request: recordingRequest, answer: recordingRequestAnswer },
  stream: { path: "/stream", request: streamRequest, answer: streamAnswer },
  levels: { path: "/levels", request: levelsRequest, answer: levelsAnswer },
  conference: { path: "/room", request: conferenceOrder, answer: conferenceAnswer },
} as const satisfies ProtocolRequests;

/** Open to everybody: GET answers `readyAnswer`. */
export const readyPath = "/ready";

export type ServiceRequests = typeof serviceRequests;
export type CompanionRequests = typeof companionRequests;

/** Content of a request. */
export type ContentOf<R extends ProtocolRequest> = z.output<R["request"]>;
/** Answer to a request; of a stream, each line. */
export type AnswerOf<R extends ProtocolRequest> = z.output<R["answer"]>;

/** A client: one function for each request that is no stream. */
export type ClientOf<T extends ProtocolRequests> = {
  [Name in keyof T as T[Name] extends { isStream: true } ? never : Name]: (
    content: ContentOf<T[Name]>,
  ) => Promise<AnswerOf<T[Name]>>;
};

/** Sends the content of a request; resolves with the JSON of its answer, not yet checked. */
export type Send = (request: ProtocolRequest, content: unknown) => Promise<unknown>;

/** A client that checks each answer; throws `ZodError` where its schema refuses it. */
export function clientOf<T extends ProtocolRequests>(requests: T, send: Send): ClientOf<T> {
  const functions = Object.entries(requests).filter(([, { isStream }]) => !isStream)
    .map(([name, request]) => [
      name,
      async (content: unknown) => request.answer.parse(await send(request, content)),
    ]);
  return Object.fromEntries(functions); // Typed by its index alone.
}
