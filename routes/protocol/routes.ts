import { type Context, Hono } from "hono";
import {
  credentialsQuery,
  heartbeat,
  news,
  protocolLimits,
  questions,
} from "../../core/protocol/companion.ts";
import { presenceNews } from "../../core/protocol/registrations.ts";
import { writeSealed } from "../../core/protocol/seal.ts";
import { requestReader } from "../../core/protocol/request.ts";
import { createReports } from "../../core/reports/take_reports.ts";
import { takeHeartbeat } from "../../core/reports/sweep.ts";
import { takePresence } from "../../core/companions/companions.ts";
import { credentialsOf } from "../../core/accounts/credentials.ts";
import type { Ports } from "../../core/ports/ports.ts";
import { messageHandlers } from "./messages.ts";
import { recordingHandlers } from "./recordings.ts";
import { trunkHandlers } from "./trunks.ts";

/** Takes the content of a signed request and answers it; null when it cannot read it. */
type Handler = (content: unknown, signal: AbortSignal) => Promise<object | null>;

/** What companions ask of the service (core/protocol/companion.ts); mounted at /bridge, signed with the secret. */
export function protocolRoutes(ports: Ports, secret: string): Hono {
  const reports = createReports(ports);
  const read = requestReader({ secret, now: ports.now });
  const handlers: Record<string, Handler> = {
    ...trunkHandlers(ports),
    ...messageHandlers(ports),
    ...recordingHandlers(ports),
    async news(content, signal) {
      const { data } = news.safeParse(content);
      return data === undefined ? null : { outcomes: await reports.news(data.reports, signal) };
    },
    async credentials(content) {
      const { data } = credentialsQuery.safeParse(content);
      return data === undefined ? null : { credentials: await credentialsOf(data.login, ports) };
    },
    async heartbeat(content) {
      const { data } = heartbeat.safeParse(content);
      return data === undefined ? null : await takeHeartbeat(data, ports);
    },
    async presence(content) {
      const { data } = presenceNews.safeParse(content);
      if (data === undefined) return null;
      return { isKnown: await takePresence(data, ports) };
    },
  };

  /** Answers each of several questions by a line of JSON, once it can. */
  function ask(c: Context, content: unknown): Response {
    const { data } = questions.safeParse(content);
    if (data === undefined) return refuse(c, 400, "Cannot read the request");
    const left = new AbortController();
    const lines = new ReadableStream<Uint8Array>({
      start(controller) {
        const tell = (answer: object) => controller.enqueue(lineOf(secret, answer));
        void reports.questions(data.reports, left.signal, tell)
          .then(() => controller.close())
          .catch((error) => left.signal.aborted || controller.error(error));
      },
      cancel: () => left.abort(),
    });
    // No proxy on the way is to gather what is for several who wait.
    const headers = { "content-type": "application/x-ndjson", "x-accel-buffering": "no" };
    return c.body(lines, 200, headers);
  }

  return new Hono().post("/:what", async (c) => {
    const what = c.req.param("what");
    const handler = Object.hasOwn(handlers, what) ? handlers[what] : undefined;
    if (handler === undefined && what !== "questions") {
      return refuse(c, 404, "There is no such request");
    }
    const isLarge = what === "heartbeat" || what === "questions";
    const maxBytes = isLarge ? protocolLimits.largeBodyBytes : protocolLimits.bodyBytes;
    const body = await read(c.req.raw, { path: c.req.path, maxBytes });
    if (typeof body !== "string") return refuse(c, body.status, body.why);
    if (handler === undefined) return ask(c, contentOf(body));
    const answer = await handler(contentOf(body), c.req.raw.signal);
    if (answer === null) return refuse(c, 400, "Cannot read the request");
    return c.body(writeSealed(secret, answer), 200, { "content-type": "application/json" });
  });
}

const refuse = (c: Context, status: 400 | 401 | 404 | 408 | 413, message: string): Response =>
  c.json({ message }, status);

function contentOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const lineOf = (secret: string, answer: object): Uint8Array =>
  new TextEncoder().encode(`${writeSealed(secret, answer)}\n`);
