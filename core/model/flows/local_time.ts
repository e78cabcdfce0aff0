/** Time of day of a flow, for conditions that name a time zone. */

/**
 * True when the runtime has a time zone of this name in the IANA database, such as Europe/Berlin.
 */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return /^[A-Za-z][A-Za-z0-9_+/-]*$/.test(zone); // The runtime takes offsets too.
  } catch {
    return false;
  }
}

/**
 * Variables of the time in a zone, by a time in ms: `LocalDate` (2026-11-28), `LocalTime` (09:05,
 * of 24 hours) and `Weekday` (1 for Monday to 7 for Sunday, as in ISO 8601).
 */
export function localTime(zone: string, at: number): Record<string, string> {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const LocalDate = `${part.year}-${part.month}-${part.day}`;
  const day = new Date(`${LocalDate}T00:00:00Z`).getUTCDay();
  return { LocalDate, LocalTime: `${part.hour}:${part.minute}`, Weekday: String(day || 7) };
}
