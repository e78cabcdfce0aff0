import { z } from "zod";
import { flag } from "../base/fields.ts";
import { snake } from "../base/wire.ts";
import type { AnyRecord } from "../model/resource.ts";
import type { RecordChange } from "../model/ports/change_feed.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import { type EventType, eventTypes } from "../model/event_types.ts";

export const eventTypeNames = Object.keys(eventTypes) as EventType[];

const rule = `must be some of ${eventTypeNames.join(", ")}`;

const types = z.union([z.string(), z.array(z.string())]).transform((sent) =>
  [sent].flat().flatMap((text) => text.split(/[\s,]+/)).filter((name) => name !== "")
).pipe(z.array(z.enum(eventTypeNames), { error: rule }).min(1, rule));

/** The form of an event's id. */
const eventId = /^[0-9a-f]{20}\.(~|[A-Z]{2}[0-9a-f]{32})$/;

/** Parameters of a request for events. */
export const eventQuery = z.object({
  type: types.optional().describe(
    "Kinds of records whose events are wanted, separated by commas; all of them unless sent.",
  ),
  sid: z.string().regex(/^[A-Z]{2}[0-9a-f]{32}$/, "must be a Sid").optional().describe(
    "Sid of a record: only events of that record, and of records that name it, such as the " +
      "Notifications of a call.",
  ),
  lastEventId: z.string().regex(eventId, "must be the id of an event").optional().describe(
    "The id of the last event that is known: those after it come first. The header Last-Event-ID " +
      "says the same.",
  ),
  follow: flag.optional().describe(
    "With false the response ends after the events that have happened; they go on unless sent.",
  ),
});

export type EventQuery = z.infer<typeof eventQuery>;

export const eventParameters: Parameters = { schema: eventQuery };

/** Returns a filter of changes by a query. */
export function isWanted({ type, sid }: EventQuery): (change: RecordChange) => boolean {
  const types = type === undefined ? null : new Set<string>(type);
  return (change) => {
    if (types !== null && !types.has(change.type)) return false;
    if (sid === undefined || change.sid === sid) return true;
    return change.record !== null &&
      Object.entries(change.record as AnyRecord).some(([field, value]) =>
        value === sid && snake(field) !== "account_sid"
      );
  };
}
