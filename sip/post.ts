import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";

/** A POST of JSON, given up when the time is over or a signal aborts. */
export interface Post {
  path: string;
  headers: Record<string, string>;
  body: string;
  ms: number;
  signals: readonly AbortSignal[];
}

export interface Answer {
  status: number;
  body: string;
}

/**
 * Posts to one origin over connections that stay open; rejects with why there is no answer. `fetch`
 * would do the same for twice the CPU time, and keep what is young alive for longer.
 */
export type Poster = (post: Post) => Promise<Answer>;

export function createPoster(origin: string, stopped: AbortSignal): Poster {
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === "https:";
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true });
  stopped.addEventListener("abort", () => agent.destroy(), { once: true });
  const open = isSecure ? secureRequest : request;
  // Brackets are for URLs.
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const send = async (post: Post): Promise<Answer> => {
    const { path, headers, body } = post;
    const length = String(encoder.encode(body).length);
    const all = { "content-type": "application/json", "content-length": length, ...headers };
    const outgoing = open({ host, port, path, method: "POST", agent, headers: all });
    try {
      return await exchange(outgoing, post);
    } catch (error) {
      // The other end closed an idle connection just then; what we say may come twice.
      const { code } = error as { code?: string };
      if (!outgoing.reusedSocket || code !== "ECONNRESET") throw error;
      return await send(post);
    }
  };
  return send;
}

const encoder = new TextEncoder();

function exchange(outgoing: ClientRequest, { body, ms, signals }: Post): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const giveUp = () => outgoing.destroy(new Error("it took too long, or nobody waits any more"));
  const timer = setTimeout(giveUp, ms);
  for (const signal of signals) {
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
  }
  outgoing.on("error", reject);
  outgoing.on("response", (incoming) => read(incoming).then(resolve, reject));
  outgoing.end(body);
  return promise.finally(() => {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener("abort", giveUp);
  });
}

function read(incoming: IncomingMessage): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let body = "";
  incoming.setEncoding("utf8");
  incoming.on("data", (text: string) => body += text);
  incoming.on("end", () => resolve({ status: incoming.statusCode ?? 500, body }));
  incoming.on("error", reject);
  incoming.on("close", () => reject(new Error("the answer does not end")));
  return promise;
}
