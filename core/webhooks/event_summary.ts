import type { EventType } from "../model/event_types.ts";

/** An event as the interface sends it. */
export interface StreamedEvent {
  id: string;
  type: EventType;
  change: "created" | "updated" | "deleted";
  sid: string;
  record: Record<string, unknown> | null;
}

/** Look of an event: `bad` needs attention, `wait` may. */
export type Look = "plain" | "good" | "wait" | "bad";

/** An event in one line, and its look. */
export interface Summary {
  look: Look;
  text: string;
}

type Fields = Record<string, unknown>;

const looks: Record<string, Look> = {
  "failed": "bad",
  "busy": "wait",
  "no-answer": "wait",
  "canceled": "wait",
  "undelivered": "bad",
  "completed": "good",
  "delivered": "good",
  "sent": "good",
  "received": "good",
  "in-progress": "good",
};

const words = (...texts: unknown[]): string =>
  texts.filter((text) => text !== null && text !== undefined && text !== "").map(String).join("  ");

const withStatus = (record: Fields, ...texts: unknown[]): Summary => ({
  look: looks[String(record.status)] ?? "plain",
  text: words(String(record.status).padEnd(11), ...texts),
});

const between = ({ from, to }: Fields): string => `${from} → ${to}`;
const seconds = (value: unknown): string | null => value === null ? null : `${value} s`;

/** Line about a record. */
const told: Record<EventType, (record: Fields) => Summary> = {
  call: (one) => withStatus(one, between(one), one.direction, seconds(one.duration ?? null)),
  message: (one) => withStatus(one, between(one), one.direction, one.body),
  email: (one) => ({ look: "plain", text: words("queued     ", between(one), one.subject) }),
  notification: (one) => ({
    look: one.log === 0 ? "bad" : "wait",
    text: words(one.log === 0 ? "error      " : "warning    ", one.error_code, one.message_text),
  }),
  delivery: (one) => withStatus(one, one.event, attemptOf(one), `${one.method} ${one.url}`),
  document: (one) => ({
    look: one.error ? "bad" : one.skipped ? "wait" : "plain",
    text: words(
      `${one.status ?? "–"}`.padEnd(11),
      `${one.method} ${one.url}`,
      `${one.duration} ms`,
      one.error ?? one.verbs,
      one.skipped && `skipped: ${one.skipped}`,
    ),
  }),
  recording: (one) => withStatus(one, seconds(one.duration ?? null)),
  transcription: (one) => withStatus(one, one.transcription_text),
  stream: (one) => withStatus(one, one.name),
  conference: (one) => withStatus(one, one.friendly_name),
  participant: (one) => ({
    look: "plain",
    text: words("joined     ", one.muted && "muted", one.hold && "on hold", one.conference_sid),
  }),
  queue: (one) => ({
    look: "plain",
    text: words("waiting    ", one.friendly_name, one.current_size),
  }),
  geolocation: (one) => ({
    look: "plain",
    text: words(one.response_status, one.device_identifier),
  }),
  audit: (one) => ({
    look: "plain",
    text: words(one.action, one.target, one.actor_email, one.from),
  }),
};

function attemptOf({ attempts }: Fields): string | null {
  const last = (attempts as Fields[] | undefined)?.at(-1);
  if (last === undefined) return null;
  return last.status ? `HTTP ${last.status}` : String(last.error);
}

/** Summary of an event, in one line of any length. */
export function summaryOf({ type, change, record }: StreamedEvent): Summary {
  if (record !== null) return told[type](record);
  return { look: "plain", text: type === "participant" ? "left" : change };
}

/** The Sid of the call that an event is about; null for one about no call. */
export function callOf({ type, sid, record }: StreamedEvent): string | null {
  if (type === "call") return sid;
  const call = record?.call_sid;
  return typeof call === "string" ? call : null;
}

/** Time of the record's change, in ms; NaN where the record is gone. */
export const changedAt = ({ record }: StreamedEvent): number =>
  Date.parse(String(record?.date_updated ?? ""));
