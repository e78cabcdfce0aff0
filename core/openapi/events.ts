import { eventQuery, eventTypeNames } from "../webhooks/event_query.ts";
import { levelQuery } from "../webhooks/event_levels.ts";
import { eventLimits } from "../webhooks/event_limits.ts";
import { pascal } from "../base/wire.ts";
import { accountPath, type Operation } from "./operation.ts";
import { closed, described, descriptionOf, type JsonSchema, refTo } from "./schemas.ts";

const text: JsonSchema = { type: "string" };

const schemas: Record<keyof typeof eventQuery.shape, JsonSchema> = {
  type: { ...text, examples: ["call,notification"] },
  sid: { ...text, pattern: "^[A-Z]{2}[0-9a-f]{32}$" },
  lastEventId: text,
  follow: { type: "boolean", default: true },
};

/** The operation that streams events. */
export const eventOperations: Operation[] = [{
  method: "get",
  path: `${accountPath}/Events`,
  id: "streamEvents",
  summary: "Streams what changes in an account, as it happens",
  description:
    "Server-sent events: the data of each is an Event in JSON. The event `open` says that what " +
    "follows happens from now on, `gap` that events may be missing, `end` why the response ends. A " +
    "reader that connects again sends the id of the last event as Last-Event-ID and misses nothing. " +
    `An account may have ${eventLimits.streamsOfAccount} streams open at an instance, and a tenant ` +
    `${eventLimits.streamsOfTenant}.`,
  tag: "Event",
  query: Object.entries(eventQuery.shape).map(([field, schema]) => ({
    name: pascal(field),
    in: "query",
    schema: schemas[field as keyof typeof schemas], // The same keys.
    description: descriptionOf(schema),
  })),
  answer: refTo("Event"),
  types: ["text/event-stream"],
}, {
  method: "get",
  path: `${accountPath}/Levels`,
  id: "streamLevels",
  summary: "Streams how loud the peers of calls speak",
  description: "Server-sent events: the data of each is Levels in JSON, sent at most every " +
    `${eventLimits.levelMs} ms and only when they change. Calls are measured only while a response ` +
    `is open. An account may have ${eventLimits.streamsOfAccount} open at an instance, and a tenant ` +
    `${eventLimits.streamsOfTenant}.`,
  tag: "Event",
  query: [{
    name: "CallSid",
    in: "query",
    required: true,
    schema: { type: "array", items: { ...text, pattern: "^CA[0-9a-f]{32}$" } },
    description: descriptionOf(levelQuery.shape.callSid),
  }, {
    name: "Follow",
    in: "query",
    schema: schemas.follow,
    description: descriptionOf(levelQuery.shape.follow),
  }],
  answer: refTo("Levels"),
  types: ["text/event-stream"],
}];

export const eventSchemas: Record<string, JsonSchema> = {
  Levels: described(
    "How loud the peers of calls speak at this moment.",
    closed({
      levels: described(
        "Of each call that is in progress and whose audio passes through the companion.",
        { type: "array", items: refTo("CallLevel") },
      ),
    }),
  ),
  CallLevel: described(
    "How loud the peer of a call speaks.",
    closed({
      call_sid: described("Sid of the call.", text),
      level: described(
        "The loudest 20 ms of the last 0.3 s in dBov (RFC 6464): 0 is the loudest, -127 silence.",
        { type: "integer", minimum: -127, maximum: 0 },
      ),
    }),
  ),
  Event: described(
    "A record was created, updated or deleted.",
    closed({
      id: described("The place of the event among those of its account.", text),
      type: described("Kind of the record.", { ...text, enum: eventTypeNames }),
      change: described(
        "What happened to it.",
        { ...text, enum: ["created", "updated", "deleted"] },
      ),
      sid: described("Sid of the record.", text),
      record: described(
        "The record as its address has it in JSON; null once it is deleted. A queue has `sid`, " +
          "`friendly_name`, `current_size` and `members`.",
        { type: ["object", "null"] },
      ),
    }),
  ),
};
