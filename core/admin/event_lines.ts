import {
  callOf,
  changedAt,
  type Look,
  type StreamedEvent,
  summaryOf,
} from "../webhooks/event_summary.ts";

const colours: Record<Look, string> = { plain: "", good: "32", wait: "33", bad: "31" };

const paint = (text: string, code: string, isColoured: boolean): string =>
  isColoured && code !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;

/** Texts of customers and devices: control characters would steer the terminal. */
const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ");

/** The longest text of a line, so that a line stays one. */
const textLength = 160;

/** An event as one line for people: when (local time), what, how it is, and its Sid. */
export function lineOf(
  event: StreamedEvent,
  { isColoured, now }: { isColoured: boolean; now: number },
): string {
  const at = new Date(changedAt(event) || now);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0")).join(":");
  const { look, text } = summaryOf(event);
  const shown = harmless(text).slice(0, textLength).trimEnd();
  return [
    paint(time, "2", isColoured),
    paint(event.type.padEnd(13), "36", isColoured),
    paint(shown, colours[look], isColoured),
    paint(harmless(callOf(event) ?? event.sid), "2", isColoured),
  ].join("  ");
}
