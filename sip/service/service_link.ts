import {
  type Credentials,
  credentialsAnswer,
  type Heartbeat,
  type NewsAnswer,
  newsAnswer,
  protocolPaths,
  type QuestionAnswer,
  questionAnswer,
  type Report,
} from "../../core/protocol/companion.ts";
import {
  type MessageAnswer,
  messageAnswer,
  messagePaths,
  type MessageReport,
  type TrunkMessage,
} from "../../core/protocol/messages.ts";
import {
  recordingAnswer,
  type RecordingPart,
  recordingPaths,
} from "../../core/protocol/recordings.ts";
import { readSealed } from "../../core/protocol/seal.ts";
import { signatureHeader, signRequest } from "../../core/protocol/signature.ts";
import {
  type HeartbeatAnswer,
  heartbeatAnswer,
  presenceAnswer,
  type PresenceNews,
  registrationPaths,
} from "../../core/protocol/registrations.ts";
import {
  type FoundNumber,
  type GatewayReport,
  gatewaysAnswer,
  numberAnswer,
  type NumberQuery,
  type Registration,
  trunkPaths,
} from "../../core/protocol/trunks.ts";
import { sipLimits } from "../base/limits.ts";
import { createPoster, type Post, type Poster } from "./post.ts";
import type { Timers } from "../base/timers.ts";

/**
 * What asking again can do: an outage passes, a defect (500) may be of this very request, and a
 * refusal stays one.
 */
export type ServiceFailure = "outage" | "defect" | "refusal";

/** The service did not do what it was asked. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  constructor(what: string, why: string, readonly failure: ServiceFailure) {
    super(`Cannot ${what}: ${why}`);
  }
}

const failures: Partial<Record<QuestionAnswer["outcome"], ServiceFailure>> = {
  outage: "outage",
  defect: "defect",
  refused: "refusal",
};

/** Why a report was not taken; undefined when it was. */
export function refusalOf(outcome: QuestionAnswer["outcome"]): ServiceError | undefined {
  const failure = failures[outcome];
  return failure && new ServiceError("tell the service", `the report met a ${outcome}`, failure);
}

/** What the companion says to the service, signed. Each call is one attempt and may reject. */
export interface ServiceLink {
  /** Reports of several legs that want scripts; resolves when the service has said all it will. */
  questions(reports: Report[], asking: {
    signal: AbortSignal;
    /** The service begins to answer. */
    onBegin(): void;
    onAnswer(answer: QuestionAnswer): void;
  }): Promise<void>;
  /** Reports of several legs that want no script; what became of each. */
  news(reports: Report[]): Promise<NewsAnswer["outcomes"]>;
  credentials(login: string): Promise<Credentials | null>;
  heartbeat(heartbeat: Heartbeat): Promise<HeartbeatAnswer>;
  /** False when the service lacks the news before these. */
  presence(news: PresenceNews): Promise<boolean>;
  /** Whose number it is that a trunk calls; null for nobody's. */
  number(query: NumberQuery): Promise<FoundNumber | null>;
  /** The Gateways that a companion is to keep registered. */
  gateways(companionId: string): Promise<Registration[]>;
  gateway(report: GatewayReport): Promise<void>;
  /** A message of a Client, and what to answer it. */
  message(message: MessageReport): Promise<MessageAnswer>;
  /** A message that a trunk brought, and what to answer it. */
  trunkMessage(message: TrunkMessage): Promise<MessageAnswer>;
  /** False when the service does not want the recording. */
  recordingPart(part: RecordingPart): Promise<boolean>;
}

export interface ServiceLinkOptions {
  /** Without a slash at its end; its path, if any, goes before those of the protocol. */
  serviceUrl: string;
  bridgeSecret: string;
  timers: Timers;
  /** Ends what is under way. */
  stopped: AbortSignal;
}

export function createServiceLink(options: ServiceLinkOptions): ServiceLink {
  const poster = createPoster(options.serviceUrl, options);
  const base = basePath(options.serviceUrl);
  const post = async (path: string, content: unknown, { ms }: { ms: number }) => {
    const body = JSON.stringify(content);
    const answer = await signedPost(poster, options, { base, path, body, ms });
    return readSealed(options.bridgeSecret, answer);
  };
  return {
    async questions(reports, { signal, onBegin, onAnswer }) {
      let rest = "";
      const onText = (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop()!;
        for (const line of lines) {
          onAnswer(questionAnswer.parse(readSealed(options.bridgeSecret, line)));
        }
      };
      const body = JSON.stringify({ reports });
      const limits = { ms: sipLimits.scriptTimeoutMs, signal, parts: { onBegin, onText } };
      await signedPost(poster, options, { base, path: protocolPaths.questions, body, ...limits });
    },
    async news(reports) {
      const answer = await post(protocolPaths.news, { reports }, { ms: sipLimits.reportTimeoutMs });
      return newsAnswer.parse(answer).outcomes;
    },
    async credentials(login) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      const answer = await post(protocolPaths.credentials, { login }, limits);
      return credentialsAnswer.parse(answer).credentials;
    },
    async heartbeat(heartbeat) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      return heartbeatAnswer.parse(await post(protocolPaths.heartbeat, heartbeat, limits));
    },
    async presence(news) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      const answer = await post(registrationPaths.presence, news, limits);
      return presenceAnswer.parse(answer).isKnown;
    },
    async number(query) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      return numberAnswer.parse(await post(trunkPaths.number, query, limits)).number;
    },
    async gateways(companionId) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      return gatewaysAnswer.parse(await post(trunkPaths.gateways, { companionId }, limits))
        .gateways;
    },
    async gateway(report) {
      await post(trunkPaths.gateway, report, { ms: sipLimits.reportTimeoutMs });
    },
    async recordingPart(part) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      return recordingAnswer.parse(await post(recordingPaths.part, part, limits)).isWanted;
    },
    async message(message) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      return messageAnswer.parse(await post(messagePaths.report, message, limits));
    },
    async trunkMessage(message) {
      const limits = { ms: sipLimits.reportTimeoutMs };
      return messageAnswer.parse(await post(messagePaths.trunkMessage, message, limits));
    },
  };
}

/** Statuses of the 400s that another attempt can change. */
const passing = [401, 408, 429];

function failureOfStatus(status: number): ServiceFailure {
  if (status === 500) return "defect";
  return status > 500 || passing.includes(status) ? "outage" : "refusal";
}

async function signedPost(
  poster: Poster,
  { bridgeSecret, stopped }: ServiceLinkOptions,
  request: Pick<Post, "path" | "body" | "ms" | "parts"> & { base: string; signal?: AbortSignal },
): Promise<string> {
  const { base, path, body, ms, signal, parts } = request;
  const signed = { method: "POST", path, body };
  const answer = await poster({
    path: base + path,
    headers: () => ({
      [signatureHeader]: signRequest(bridgeSecret, { at: Date.now(), ...signed }),
    }),
    body,
    ms,
    signals: signal === undefined ? [stopped] : [signal, stopped],
    ...parts && { parts },
  });
  const { status } = answer;
  if (status >= 200 && status < 300) return answer.body;
  throw new ServiceError(`post ${path}`, `the service answered ${status}`, failureOfStatus(status));
}

const basePath = (serviceUrl: string): string => new URL(serviceUrl).pathname.replace(/\/$/, "");

/** Network errors pass; an answer that is no script stays what it is. */
export function failureOf(error: unknown): ServiceFailure {
  if (error instanceof ServiceError) return error.failure;
  return error instanceof Error && error.name === "ZodError" ? "refusal" : "outage";
}
