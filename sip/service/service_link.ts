import type { BridgeSecret } from "../../core/protocol/bridge_secret.ts";
import type { ScriptAnswer, ScriptRequests } from "../../core/protocol/companion.ts";
import {
  type ClientOf,
  clientOf,
  type Send,
  type ServiceRequests,
  serviceRequests,
} from "../../core/protocol/requests.ts";
import { readSealed, writeSealed } from "../../core/protocol/seal.ts";
import { refusalHint, signatureHeader, signRequest } from "../../core/protocol/signature.ts";
import { sipLimits } from "../base/limits.ts";
import { createPoster, type Post, type Poster } from "./post.ts";
import type { Timers } from "../base/timers.ts";

/**
 * Effect of a second attempt: an outage passes, a defect (500) may be of this very request, and a
 * refusal stays one.
 */
export type ServiceFailure = "outage" | "defect" | "refusal";

/** A request that the service did not perform. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  constructor(what: string, why: string, readonly failure: ServiceFailure) {
    super(`Cannot ${what}: ${why}`);
  }
}

const failures: Partial<Record<ScriptAnswer["outcome"], ServiceFailure>> = {
  outage: "outage",
  defect: "defect",
  refused: "refusal",
};

/** Why a report was not taken; undefined when it was. */
export function refusalOf(outcome: ScriptAnswer["outcome"]): ServiceError | undefined {
  const failure = failures[outcome];
  return failure && new ServiceError("tell the service", `the report met a ${outcome}`, failure);
}

/** Requests of the companion to the service. Each call is one attempt and may reject. */
export interface ServiceLink extends ClientOf<ServiceRequests> {
  /** Reports of several legs that want scripts; resolves when the service has sent all answers. */
  scripts(content: ScriptRequests, waiting: {
    signal: AbortSignal;
    /** The service begins to answer. */
    onBegin(): void;
    onAnswer(answer: ScriptAnswer): void;
  }): Promise<void>;
}

export interface ServiceLinkOptions {
  /** Without a slash at its end; its path, if any, goes before those of the protocol. */
  serviceUrl: string;
  bridgeSecret: BridgeSecret;
  timers: Timers;
  /** Ends what is under way. */
  stopped: AbortSignal;
}

export function createServiceLink(options: ServiceLinkOptions): ServiceLink {
  const { bridgeSecret: secret } = options;
  const poster = createPoster(options.serviceUrl, options);
  const base = basePath(options.serviceUrl);
  const send: Send = async ({ path, answerMs: ms = sipLimits.reportTimeoutMs }, content) => {
    const body = writeSealed(secret, content);
    return readSealed(secret, await signedPost(poster, options, { base, path, body, ms }));
  };
  return {
    ...clientOf(serviceRequests, send),
    async scripts(content, { signal, onBegin, onAnswer }) {
      const { path, answer } = serviceRequests.scripts;
      let rest = "";
      const onText = (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) onAnswer(answer.parse(readSealed(secret, line)));
      };
      const body = writeSealed(secret, content);
      const limits = { ms: sipLimits.scriptTimeoutMs, signal, parts: { onBegin, onText } };
      await signedPost(poster, options, { base, path, body, ...limits });
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
  const why = `the service answered ${status}${refusalHint(status)}`;
  throw new ServiceError(`post ${path}`, why, failureOfStatus(status));
}

const basePath = (serviceUrl: string): string => new URL(serviceUrl).pathname.replace(/\/$/, "");

/** Network errors pass; an answer that is no script stays what it is. */
export function failureOf(error: unknown): ServiceFailure {
  if (error instanceof ServiceError) return error.failure;
  return error instanceof Error && error.name === "ZodError" ? "refusal" : "outage";
}
