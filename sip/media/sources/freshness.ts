/** Lifetime of a cached response, and its revalidation (RFC 9111). */
export interface Freshness {
  /** In ms, on the clock of `now`; not fresh at this moment any more. */
  freshUntil: number;
  /** Until when it may stand in for an error of the server (RFC 5861 §4). */
  staleUntil: number;
  /** Header fields that revalidate it (RFC 9110 §13.1); empty when it cannot be. */
  validators: Record<string, string>;
}

/** The freshness of an answer to a GET without credentials; null when it must not be kept. */
export function freshnessOf(headers: Headers, now: number): Freshness | null {
  if (isForOne(headers)) return null;
  const directives = cacheControl(headers);
  const freshMs = directives.has("no-cache") ? 0 : Math.max(0, lifetimeMs(headers, directives));
  const freshUntil = now + freshMs;
  const graceS = directives.has("must-revalidate") || directives.has("no-cache")
    ? 0
    : secondsOf(directives.get("stale-if-error")) ?? 0;
  const validators = validatorsOf(headers);
  if (freshMs === 0 && graceS === 0 && Object.keys(validators).length === 0) return null;
  return { freshUntil, staleUntil: freshUntil + graceS * 1_000, validators };
}

/** True where an answer is for the request it was made for and no other (RFC 9111 §5.2.2.5, §4.1). */
export const isForOne = (headers: Headers): boolean =>
  cacheControl(headers).has("no-store") || headers.get("vary")?.trim() === "*";

/** The headers of an answer as 304 updates them (RFC 9111 §3.2). */
export function updated(known: Headers, news: Headers): Headers {
  const headers = new Headers(known);
  for (const name of ["cache-control", "expires", "date", "age", "etag", "last-modified"]) {
    const value = news.get(name);
    if (value !== null) headers.set(name, value);
    else if (name === "age") headers.delete(name);
  }
  return headers;
}

/** RFC 9111 §4.2.1, less its age when it came (§4.2.3); no heuristics. */
function lifetimeMs(headers: Headers, directives: ReadonlyMap<string, string>): number {
  const ageS = secondsOf(headers.get("age") ?? undefined) ?? 0;
  const maxAgeS = secondsOf(directives.get("max-age"));
  if (directives.has("max-age")) return ((maxAgeS ?? 0) - ageS) * 1_000;
  const [expires, date] = [headers.get("expires"), headers.get("date")].map((value) =>
    value === null ? NaN : Date.parse(value)
  ) as [number, number];
  return Number.isNaN(expires) || Number.isNaN(date) ? 0 : expires - date - ageS * 1_000;
}

function cacheControl(headers: Headers): Map<string, string> {
  const parts = (headers.get("cache-control") ?? "").split(",");
  return new Map(parts.map((part) => {
    const [name = "", value = ""] = part.split("=");
    return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")];
  }));
}

const secondsOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;

function validatorsOf(headers: Headers): Record<string, string> {
  const etag = headers.get("etag");
  const modified = headers.get("last-modified");
  if (etag !== null) return { "if-none-match": etag };
  return modified === null ? {} : { "if-modified-since": modified };
}
