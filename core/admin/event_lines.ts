import type { EventType } from "../model/event_types.ts";

/** An event as the interface tells it. */
export interface ToldEvent {
  id: string;
  type: EventType;
  change: "created" | "updated" | "deleted";
  sid: string;
  record: Record<string, unknown> | null;
}

/** How an event looks: `bad` needs a look, `wait` may. */
type Look = "plain" | "good" | "wait" | "bad";

interface Told {
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

const withStatus = (record: Fields, ...texts: unknown[]): Told => ({
  look: looks[String(record.status)] ?? "plain",
  text: words(String(record.status).padEnd(11), ...texts),
});

const between = ({ from, to }: Fields): string => `${from} → ${to}`;
const seconds = (value: unknown): string | null => value === null ? null : `${value} s`;

/** What a line says of a record. */
const told: Record<EventType, (record: Fields) => Told> = {
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

const colours: Record<Look, string> = { plain: "", good: "32", wait: "33", bad: "31" };

const paint = (text: string, code: string, isColoured: boolean): string =>
  isColoured && code !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;

/** Texts of customers and devices: control characters would steer the terminal. */
const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ");

/** The longest text of a line, so that a line stays one. */
const textLength = 160;

/** An event as one line for people: when (local time), what, how it is, and its Sid. */
export function lineOf(
  { type, change, sid, record }: ToldEvent,
  { isColoured, now }: { isColoured: boolean; now: number },
): string {
  const at = new Date(Date.parse(String(record?.date_updated ?? "")) || now);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0")).join(":");
  const { look, text } = record === null
    ? { look: "plain" as const, text: type === "participant" ? "left" : change }
    : told[type](record);
  const call = type === "call" ? null : record?.call_sid;
  const shown = harmless(text).slice(0, textLength).trimEnd();
  return [
    paint(time, "2", isColoured),
    paint(type.padEnd(13), "36", isColoured),
    paint(shown, colours[look], isColoured),
    paint(harmless(words(call ?? sid)), "2", isColoured),
  ].join("  ");
}
