import { userAgent } from "../../core/base/version.ts";
import { isClosed, takeRepeats } from "../../core/machine/net/reused_connection.ts";
import { lookupBy } from "../../core/machine/net/names.ts";
import { Buffer } from "node:buffer";
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
} from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { sipLimits } from "../base/limits.ts";
import type { Timers } from "../base/timers.ts";

/** A POST of JSON, given up when the time is over or a signal aborts. */
export interface Post {
  path: string;
  /** Called at each attempt: a signature counts once. */
  headers(): Record<string, string>;
  body: string;
  ms: number;
  signals: readonly AbortSignal[];
  /** Takes the body of a 200 as it comes; that of the answer is empty then. */
  parts?: {
    onBegin(): void;
    /** An exception ends the request with it. */
    onText(text: string): void;
  };
}

export interface Answer {
  status: number;
  body: string;
}

/** Posts to one origin; rejects with why there is no answer. */
export type Poster = (post: Post) => Promise<Answer>;

export interface PosterLife {
  timers: Timers;
  /** Ends its connections. */
  stopped: AbortSignal;
  /** Time for which an idle connection is kept; `sipLimits.reuseMs` unless given. */
  reuseMs?: number;
}

/**
 * Connections are those of `node:http`, at half the CPU time of `fetch`, which would also keep what is
 * young alive for longer, and resolve names by blocking threads.
 */
export function createPoster(
  origin: string,
  { timers, stopped, reuseMs = sipLimits.reuseMs }: PosterLife,
): Poster {
  const { hostname, port, protocol } = new URL(origin);
  const isSecure = protocol === "https:";
  const options = { keepAlive: true, timeout: reuseMs, lookup: lookupBy() };
  const agent = isSecure ? new SecureAgent(options) : new Agent(options);
  const request = isSecure ? secureRequest : plainRequest;
  stopped.addEventListener("abort", () => agent.destroy(), { once: true });
  // Brackets are for URLs.
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const send = async (post: Post): Promise<Answer> => {
    const { path, headers, body } = post;
    const length = String(Buffer.byteLength(body));
    const all = {
      "user-agent": userAgent,
      "content-type": "application/json",
      "content-length": length,
      ...headers(),
    };
    const outgoing = request({ host, port, path, method: "POST", agent, headers: all });
    const isReused = takeRepeats(outgoing);
    let isAnswered = false;
    outgoing.on("response", () => isAnswered = true);
    try {
      return await exchange(outgoing, post, timers);
    } catch (error) {
      // The other end closed an idle connection just then; what we say may come twice.
      const { code } = error as { code?: string };
      if (isAnswered || !isReused || !isClosed(code)) throw error;
      return await send(post);
    }
  };
  return send;
}

function exchange(
  outgoing: ClientRequest,
  { body, ms, signals, parts }: Post,
  timers: Timers,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const giveUp = (why: string) => {
    const reason = new Error(why);
    reject(reason);
    outgoing.destroy(reason);
  };
  const stopTimer = timers.after(ms, () => giveUp(`the request timed out after ${ms} ms`));
  const abort = () => giveUp("the companion aborted the request");
  for (const signal of signals) {
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  }
  outgoing.on("error", reject);
  outgoing.on("response", (incoming) => read(incoming, parts).then(resolve, reject));
  outgoing.end(body);
  return promise.finally(() => {
    stopTimer();
    for (const signal of signals) signal.removeEventListener("abort", abort);
  });
}

function read(incoming: IncomingMessage, parts: Post["parts"]): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const status = incoming.statusCode ?? 500;
  let body = "";
  let take = (text: string): void => void (body += text);
  if (parts !== undefined && status === 200) {
    take = parts.onText;
    parts.onBegin();
  }
  incoming.setEncoding("utf8");
  incoming.on("data", (text: string) => {
    try {
      take(text);
    } catch (error) {
      incoming.destroy(error as Error);
    }
  });
  incoming.on("end", () => resolve({ status, body }));
  incoming.on("error", reject);
  incoming.on("close", () => reject(new Error("the answer does not end")));
  return promise;
}
