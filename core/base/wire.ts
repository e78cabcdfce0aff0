/**
 * Wire names derive from field names: `friendlyName` is FriendlyName in XML and forms,
 * friendly_name in JSON.
 */
const irregular: Record<string, string> = {
  ttl: "TTL",
  tokenTtl: "Ttl",
  cc: "CC",
  bcc: "BCC",
  smsMessages: "SMSMessages",
  voiceCapable: "Voice",
  smsCapable: "SMS",
  mmsCapable: "MMS",
  faxCapable: "Fax",
};

/** The element, form and query name of a field. */
export const pascal = (field: string): string =>
  irregular[field] ?? field.charAt(0).toUpperCase() + field.slice(1);

const fieldsByName = new Map(Object.entries(irregular).map(([field, name]) => [name, field]));

/** The field of an element, a form or a query name. */
export const fieldOf = (name: string): string =>
  fieldsByName.get(name) ?? name.charAt(0).toLowerCase() + name.slice(1);

/** JSON keys that do not follow from the name of a field. */
const irregularKeys: Record<string, string> = { tokenTtl: "ttl" };

/** The JSON key of a field. */
export const snake = (field: string): string =>
  irregularKeys[field] ?? field.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());

/** A path as the name of a field: `SMS/Messages` is smsMessages. */
export function pathField(path: string): string {
  const [first = "", ...rest] = path.split("/");
  const isAcronym = first === first.toUpperCase();
  const start = isAcronym ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  return start + rest.join("");
}

const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Remembers the text of the last day: dates are most of the work of a list, and days repeat. */
function daysBy(write: (midnight: Date) => string): (day: number) => string {
  let [last, text] = [NaN, ""];
  return (day) => {
    if (day !== last) [last, text] = [day, write(new Date(day * dayMs))];
    return text;
  };
}

const rfcDay = daysBy((midnight) => midnight.toUTCString().replace(" 00:00:00 GMT", ""));
const isoDay = daysBy((midnight) => midnight.toISOString().replace("T00:00:00.000Z", ""));

function clock(msOfDay: number): string {
  const h = Math.floor(msOfDay / 3_600_000);
  const min = Math.floor(msOfDay / 60_000) % 60;
  const s = Math.floor(msOfDay / 1_000) % 60;
  return `${twoDigits[h]}:${twoDigits[min]}:${twoDigits[s]}`;
}

/** An instant in ms as RFC 2822 §3.3 writes it, in UTC. */
export function rfc2822(ms: number): string {
  const day = Math.floor(ms / dayMs);
  return `${rfcDay(day)} ${clock(ms - day * dayMs)} +0000`;
}

/** An instant in ms as ISO 8601 with milliseconds, in UTC. */
export function iso8601(ms: number): string {
  const day = Math.floor(ms / dayMs);
  const msOfDay = Math.floor(ms - day * dayMs);
  const fraction = String(msOfDay % 1_000).padStart(3, "0");
  return `${isoDay(day)}T${clock(msOfDay)}.${fraction}Z`;
}
