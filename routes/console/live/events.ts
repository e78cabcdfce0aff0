import { Hono } from "hono";
import { isOpen } from "../../../core/accounts/sessions.ts";
import { eventLimits } from "../../../core/webhooks/event_limits.ts";
import { readEvents, type SentEvent } from "../../../core/webhooks/read_events.ts";
import {
  callOf,
  changedAt,
  type StreamedEvent,
  summaryOf,
} from "../../../core/webhooks/event_summary.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { ApiRefusal } from "../frame/api.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { recordPath } from "../frame/links.ts";

/** Parameters of a request for events that go on to the interface. */
const passed = ["Type", "Sid", "LastEventId"];

/**
 * The events of an account for the pages: those of the interface, each as the line that a page shows.
 * The stream ends with the session.
 */
export function eventPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/", async (c) => {
    const sent = new URL(c.req.url).searchParams;
    const query = new URLSearchParams([...sent].filter(([name]) => passed.includes(name)));
    const lastId = c.req.header("Last-Event-ID");
    const headers = lastId === undefined ? {} : { "Last-Event-ID": lastId };
    const events = await c.var.api.raw(`Events?${query}`, headers);
    if (!events.ok || events.body === null) throw await refusalOf(events);
    return passedOn(c, events.body, { textOf, ports });
  });
}

/** Levels of speech of an account's calls, for the pages. The stream ends with the session. */
export function levelPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/", async (c) => {
    const query = new URLSearchParams({ CallSid: c.req.query("CallSid") ?? "" });
    const levels = await c.var.api.raw(`Levels?${query}`);
    if (!levels.ok || levels.body === null) throw await refusalOf(levels);
    return passedOn(c, levels.body, { textOf: ({ data }) => `data: ${data}\n\n`, ports });
  });
}

/** A stream of the interface as one of the pages. */
function passedOn(c: Page, body: ReadableStream, shown: Shown): Response {
  c.header("Content-Type", "text/event-stream; charset=utf-8");
  c.header("X-Accel-Buffering", "no");
  return c.body(shownEvents(c, body as ReadableStream<Uint8Array<ArrayBuffer>>, shown)); // Bytes.
}

interface Shown {
  /** An event as the pages get it. */
  textOf(event: SentEvent): string;
  ports: Ports;
}

async function refusalOf(response: Response): Promise<ApiRefusal> {
  const { code, message } = await response.json();
  return new ApiRefusal(response.status, code, message, response.headers.get("Retry-After"));
}

/** Turns the events of the interface into those of the pages. */
function shownEvents(
  c: Page,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { textOf, ports }: Shown,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const ending = new AbortController();
  let beat = () => {};
  const timer = setInterval(async () => {
    // The store is read again at the next beat.
    if (await isOpen(c.var.session, ports).catch(() => true)) beat();
    else ending.abort();
  }, eventLimits.beatMs);
  const parts = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  body.pipeTo(parts.writable, { signal: ending.signal }).catch(() => {}); // It ends below.
  const events = readEvents(parts.readable);
  return new ReadableStream({
    start(controller) {
      beat = () => {
        // Nothing more waits to be read.
        if (controller.desiredSize === 0) controller.enqueue(encoder.encode(": alive\n\n"));
      };
    },
    async pull(controller) {
      try {
        const { done, value } = await events.next();
        if (done) {
          clearInterval(timer);
          return controller.close();
        }
        controller.enqueue(encoder.encode(textOf(value)));
      } catch {
        clearInterval(timer);
        controller.close(); // The session is over: the page finds the sign-in.
      }
    },
    cancel() {
      clearInterval(timer);
      ending.abort();
    },
  }, { highWaterMark: 0 });
}

/** An event of the pages: without the record, of which a page shows a line. */
function textOf({ name, id, data }: SentEvent): string {
  if (name !== "message") return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
  const event: StreamedEvent = JSON.parse(data);
  const { type, change, sid } = event;
  const call = callOf(event);
  const at = changedAt(event);
  const shown = {
    type,
    change,
    sid,
    ...summaryOf(event),
    at: Number.isNaN(at) ? null : at,
    path: (call && recordPath(call)) ?? recordPath(sid) ?? null,
  };
  return `id: ${id}\ndata: ${JSON.stringify(shown)}\n\n`;
}
