/**
 * The log: one JSON object a line, with an event whose text does not change, so that operators search by
 * field. Phone numbers are masked where the line is written, so that no caller can forget it. Logins and the
 * hosts of webhooks stand in it.
 *
 * Refused: pino, whose transports need worker threads and `node:fs`, for a need of forty lines; a function
 * for each level, since callers take the logger as one function.
 *
 * `X-Request-Id` goes with the work (`core/base/origin.ts`): by `AsyncLocalStorage` within a process, in
 * jobs, in scripts to companions and in their reports. A parameter would pass through some forty functions
 * that do not use it.
 */
import { writeOut } from "./write_out.ts";

/** Levels of the log, the most urgent first. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

export type LogLevel = (typeof logLevels)[number];

interface LogSettings {
  /** The process, as each line names it. */
  process: string;
  /** Lines of this level and of more urgent ones are written. */
  level: LogLevel;
  /** Phone numbers are written in full. */
  showsNumbers: boolean;
  /** Further fields of each line: what the work at hand comes from. */
  context: () => Record<string, unknown>;
}

const settings: LogSettings = {
  process: "command",
  level: "info",
  showsNumbers: false,
  context: () => ({}),
};

/** Names the process in its log, and sets what is written: once, at its start. */
export function setLog(wanted: Partial<LogSettings>): void {
  Object.assign(settings, wanted);
}

/**
 * Writes one line to standard error: JSON with `time` (ISO 8601, UTC), `level`, `process`, `event` and
 * the fields. Their names become those of JSON elsewhere in the interface: `accountSid` is
 * `account_sid`, and `leg`, which a companion calls a call by, `call_sid`. A field `level` is the level
 * of the line; without it, a line with an `error` is an error and any other a warning.
 */
export function log(event: string, fields: Record<string, unknown> = {}): void {
  const { level = "error" in fields ? "error" : "warn", ...rest } = fields;
  if (logLevels.indexOf(level as LogLevel) > logLevels.indexOf(settings.level)) return;
  const named = Object.entries({ ...rest, ...settings.context() }).map((
    [name, value],
  ) => [nameOf(name), value]);
  const { process } = settings;
  const entry = { time: new Date().toISOString(), level, process, event };
  const text = JSON.stringify({ ...entry, ...Object.fromEntries(named) }, (_, value) => {
    const shown = value instanceof Error ? describe(value) : value;
    return typeof shown === "string" && !settings.showsNumbers ? maskNumbers(shown) : shown;
  });
  writeOut(Deno.stderr, new TextEncoder().encode(text + "\n"));
}

const nameOf = (name: string): string =>
  name === "leg" ? "call_sid" : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A number in E.164 form, also as a URL has it, or the user part of a SIP or tel URI. */
const phoneNumber = /((?:\+|%2B|\b(?:sips?|tel):)\d{2})\d{2,11}(\d{2})(?!\d)/gi;

/** A text whose phone numbers show their first and last two digits alone. */
export const maskNumbers = (text: string): string => text.replaceAll(phoneNumber, "$1…$2");

const describe = (error: Error): string =>
  (error.stack ?? String(error)) + (error.cause === undefined ? "" : ` <- ${String(error.cause)}`);
