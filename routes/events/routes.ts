import { Hono } from "hono";
import {
  eventParameters,
  type EventQuery,
  eventQuery,
  isWanted,
} from "../../core/webhooks/event_query.ts";
import {
  levelParameters,
  type LevelQuery,
  levelsOf,
  measuredCalls,
} from "../../core/webhooks/event_levels.ts";
import { createStreamPlaces } from "../../core/webhooks/event_places.ts";
import { tenantOf } from "../../core/accounts/tenant.ts";
import { withinShare } from "../../core/base/loop_work.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { recheckOf } from "../http/authenticate.ts";
import type { Ctx, Env } from "../http/env.ts";
import { eventStream } from "./event_stream.ts";
import { levelStream } from "./level_stream.ts";
import { readQuery } from "../http/params.ts";
import { eventText } from "./event_records.ts";

/** The changes of an account's records as they happen, as server-sent events. */
export function eventRoutes(ports: Ports): Hono<Env> {
  const takePlace = createStreamPlaces();
  const textOf = eventText(ports);
  return new Hono<Env>().get("/", async (c) => {
    const query = readQuery(c, eventParameters) as EventQuery;
    const after = lastEventId(c, query);
    if (c.req.method === "HEAD") return asEvents(c, null);
    const { account } = c.var;
    const onClosed = takePlace(c.var);
    try {
      const stream = await eventStream({
        feed: ports.changes,
        accountSid: account.sid,
        after,
        isWanted: isWanted(query),
        textOf,
        isAllowed: recheckOf(c, ports),
        follows: query.follow !== false,
        onClosed,
        inShare: inShareOf(c, "event stream", ports),
      });
      return asEvents(c, stream);
    } catch (error) {
      onClosed();
      throw error;
    }
  });
}

/** Levels of speech of an account's calls, as server-sent events. */
export function levelRoutes(ports: Ports): Hono<Env> {
  const takePlace = createStreamPlaces();
  return new Hono<Env>().get("/", async (c) => {
    const query = readQuery(c, levelParameters) as LevelQuery; // As the schema reads it.
    const { account } = c.var;
    const { sid } = account;
    const calls = await measuredCalls(sid, query, ports);
    if (c.req.method === "HEAD") return asEvents(c, null);
    const onClosed = takePlace(c.var);
    const inShare = inShareOf(c, "level stream", ports);
    const read = () => inShare(() => levelsOf(sid, calls, ports));
    const follows = query.follow !== false;
    return asEvents(c, levelStream({ read, isAllowed: recheckOf(c, ports), follows, onClosed }));
  });
}

/** Work for a stream is that of the tenant whose credentials opened it. */
const inShareOf =
  (c: Ctx, kind: string, { loop }: Pick<Ports, "loop">) =>
  <T>(work: () => Promise<T>): Promise<T> =>
    withinShare(loop, { tenant: tenantOf(c.var.caller), kind }, work);

function asEvents(c: Ctx, body: ReadableStream | null): Response {
  c.header("Content-Type", "text/event-stream; charset=utf-8");
  c.header("X-Accel-Buffering", "no"); // nginx passes it on as it comes.
  return body === null ? c.body(null) : c.body(body);
}

/** The id that a reader that connects again sends in the header. */
function lastEventId(c: Ctx, query: EventQuery): string | null {
  const sent = c.req.header("Last-Event-ID") ?? "";
  if (sent === "") return query.lastEventId ?? null;
  const { success } = eventQuery.shape.lastEventId.safeParse(sent);
  if (!success) throw new Fault("badParameter", "Last-Event-ID must be the id of an event");
  return sent;
}
