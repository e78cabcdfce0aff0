import { iso8601, rfc2822 } from "../../core/base/wire.ts";
import type { Base } from "../../core/base/record.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import type { RecordChange } from "../../core/model/ports/change_feed.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { linked } from "../../core/recordings/link.ts";
import { type EventType, eventTypes } from "../../core/model/event_types.ts";
import { resourcesUnder } from "../../core/model/resources/mod.ts";
import type { Queue } from "../../core/model/resources/queues.ts";
import type { Recording } from "../../core/model/resources/recordings.ts";
import { shapeOf } from "../http/represent.ts";
import { participantShape } from "../resources/conferences.ts";
import { geolocationShape } from "../resources/geolocations.ts";

type Write = (record: Base) => unknown;

/**
 * Gives an event's data as JSON: the record is as its address has it. Streams of one account share
 * the text of a change, but those of recordings, whose links are made for the moment.
 */
export function eventText(ports: Ports): (change: RecordChange) => Promise<string> {
  const resources = resourcesUnder(ports.settings);
  const regular = Object.entries(eventTypes).map(([type, name]) => {
    const shape = shapeOf(resources[name] as AnyResource, type === "email" ? null : undefined);
    return [type, (record: Base) => shape.json(record)] as const;
  });
  // Every type is one of eventTypes.
  const writers = Object.fromEntries(regular) as Record<EventType, Write>;
  writers.participant = (record) => participantShape.json(record);
  writers.geolocation = (record) => geolocationShape.json(record);
  writers.queue = (record) => queueJson(record as Queue);
  const write = ({ id, type, change, sid }: RecordChange, record: Base | null) => {
    const shown = record && writers[type](record);
    return JSON.stringify({ id, type, change, sid, record: shown });
  };
  const written = new WeakMap<RecordChange, string>();
  return async (change) => {
    const { type, record } = change;
    if (type === "recording") {
      return write(change, record && await linked(record as Recording, ports));
    }
    const known = written.get(change);
    if (known !== undefined) return known;
    const text = write(change, record);
    written.set(change, text);
    return text;
  };
}

/** A queue with its members. */
const queueJson = ({ sid, accountSid, friendlyName, members, ...dates }: Queue) => ({
  sid,
  date_created: rfc2822(dates.dateCreated),
  date_updated: rfc2822(dates.dateUpdated),
  account_sid: accountSid,
  friendly_name: friendlyName,
  current_size: members.length,
  members: members.map(({ callSid, at }) => ({ call_sid: callSid, date_enqueued: iso8601(at) })),
});
