/** Wire names derive from field names: `friendlyName` is FriendlyName in XML and forms, friendly_name in JSON. */
const irregular: Record<string, string> = {
  ttl: "TTL",
  smsMessages: "SMSMessages",
};

/** The element, form and query name of a field. */
export const pascal = (field: string): string =>
  irregular[field] ?? field.charAt(0).toUpperCase() + field.slice(1);

/** The JSON key of a field. */
export const snake = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const two = (number: number) => String(number).padStart(2, "0");

/** An instant in ms as RFC 2822 §3.3 writes it, in UTC. */
export function rfc2822(ms: number): string {
  const date = new Date(ms);
  const day = `${days[date.getUTCDay()]}, ${two(date.getUTCDate())}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  return `${day} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()} ${time} +0000`;
}

/** An instant in ms as ISO 8601 with milliseconds, in UTC. */
export const iso8601 = (ms: number): string => new Date(ms).toISOString();
