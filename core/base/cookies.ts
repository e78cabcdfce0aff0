/**
 * Cookies of customers' servers (RFC 6265), as a webhook client keeps them.
 *
 * A cookie is for the host that set it, whatever its Domain attribute allows: no list of public
 * suffixes is needed, and no cookie leaves for another host. A library (tough-cookie) brings that list
 * and a store by domain, of which nothing would be used.
 */
import { limits } from "./limits.ts";

/** A cookie as a server set it. */
export interface Cookie {
  name: string;
  value: string;
  /** The path that it is for, and all below it. */
  path: string;
  /** It is sent over TLS alone. */
  isSecure: boolean;
  /** End in ms by the steady clock; null: with the time for which cookies are stored. */
  endsAt: number | null;
}

/** The request that cookies are set or sent by, and when, in ms by both clocks. */
interface Setting {
  url: URL;
  now: number;
  steadyNow: number;
}

/**
 * The cookies that are kept after a response from `url` with these Set-Cookie headers (RFC 6265 §5.3).
 * The oldest give way where there are more than `limits.cookies` or `limits.cookieBytes` in all.
 */
export function withSetCookies(
  kept: readonly Cookie[],
  headers: readonly string[],
  setting: Setting,
): Cookie[] {
  const cookies = new Map(kept.map((cookie) => [keyOf(cookie), cookie]));
  for (const header of headers) {
    const cookie = cookieIn(header, setting);
    if (cookie === null) continue;
    // A cookie that is set again keeps its place, as RFC 6265 §5.3 keeps its creation time.
    cookies.set(keyOf(cookie), cookie);
  }
  const left = [...cookies.values()].filter((cookie) => !isOver(cookie, setting.steadyNow));
  while (left.length > limits.cookies || bytesOf(left) > limits.cookieBytes) left.shift();
  return left;
}

/** The Cookie header of a request (RFC 6265 §5.4); null where no cookie is for it. */
export function cookieHeader(
  kept: readonly Cookie[],
  { url, steadyNow }: Pick<Setting, "url" | "steadyNow">,
): string | null {
  const isTls = url.protocol === "https:";
  const sent = kept
    .filter((cookie) => !isOver(cookie, steadyNow))
    .filter(({ isSecure, path }) => (isTls || !isSecure) && isWithin(url.pathname, path))
    // Sorting is stable: of paths of one length the cookie that was set first comes first.
    .sort((one, other) => other.path.length - one.path.length);
  return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join("; ");
}

/** A Set-Cookie header as others may see it: without the value. */
export const shownSetCookie = (header: string): string =>
  header.replace(/^([^=;]*=)[^;]*/, "$1********");

const keyOf = ({ name, path }: Cookie): string => `${name};${path}`;

const isOver = ({ endsAt }: Cookie, steadyNow: number): boolean =>
  endsAt !== null && endsAt <= steadyNow;

const encoder = new TextEncoder();

const bytesOf = (cookies: readonly Cookie[]): number =>
  cookies.reduce(
    (sum, { name, value, path }) => sum + encoder.encode(name + value + path).length,
    0,
  );

/** The pair and the attributes of a header; those behind them are not read. */
const mostParts = 20;

/** The cookie of a Set-Cookie header; null where it is none, or none for this host (§5.2, §5.3). */
function cookieIn(header: string, { url, now, steadyNow }: Setting): Cookie | null {
  // Octets below the space and DEL stand in no cookie, the tab excepted.
  // deno-lint-ignore no-control-regex
  if (header.length > 2 * limits.cookieBytes || /[\0-\x08\x0a-\x1f\x7f]/.test(header)) return null;
  const [pair = "", ...rest] = header.split(";", mostParts);
  const equals = pair.indexOf("=");
  const name = pair.slice(0, Math.max(equals, 0)).trim();
  if (name === "") return null;
  const attributes = new Map(rest.map(attributeIn));
  const path = attributes.get("path") ?? "";
  const lifetime = lifetimeOf(attributes, now);
  const cookie = {
    name,
    value: pair.slice(equals + 1).trim(),
    path: path.startsWith("/") ? path : defaultPath(url.pathname),
    isSecure: attributes.has("secure"),
    endsAt: lifetime === null ? null : steadyNow + lifetime,
  };
  const domain = attributes.get("domain") ?? "";
  const isTls = url.protocol === "https:";
  if (!isFor(url.hostname, domain) || cookie.isSecure && !isTls) return null;
  // Prefixes of RFC 6265bis §4.1.3.
  if (/^__secure-/i.test(name) && !cookie.isSecure) return null;
  const isHostOnly = cookie.isSecure && domain === "" && path === "/";
  if (/^__host-/i.test(name) && !isHostOnly) return null;
  return bytesOf([cookie]) > limits.cookieBytes ? null : cookie;
}

function attributeIn(text: string): [name: string, value: string] {
  const equals = text.indexOf("=");
  if (equals < 0) return [text.trim().toLowerCase(), ""];
  return [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1).trim()];
}

/**
 * Lifetime of a cookie, in ms; null where the server sets none. Max-Age comes before Expires
 * (§5.3). A value that is no number or no date counts as absent.
 */
function lifetimeOf(attributes: Map<string, string>, now: number): number | null {
  const maxAge = attributes.get("max-age") ?? "";
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) * 1_000;
  const date = cookieDate(attributes.get("expires") ?? "");
  return date === null ? null : date - now;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A date in any form that servers write, in ms (§5.1.1); null for none. */
function cookieDate(text: string): number | null {
  let time: RegExpExecArray | null = null;
  let [day, month, year] = [-1, -1, -1];
  for (const token of text.slice(0, 100).split(/[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/)) {
    const clock: RegExpExecArray | null = time === null
      ? /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/.exec(token)
      : null;
    const digits = /^(\d{1,4})(?!\d)/.exec(token)?.[1] ?? "";
    const named = months.indexOf(token.slice(0, 3).toLowerCase());
    if (clock !== null) time = clock;
    else if (day < 0 && (digits.length === 1 || digits.length === 2)) day = Number(digits);
    else if (month < 0 && named >= 0) month = named;
    else if (year < 0 && digits.length >= 2) year = Number(digits);
  }
  if (year >= 70 && year <= 99) year += 1900;
  else if (year >= 0 && year <= 69) year += 2000;
  if (time === null || month < 0 || day < 1 || day > 31 || year < 1601) return null;
  const [hours, minutes, seconds] = [Number(time[1]), Number(time[2]), Number(time[3])];
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return Date.UTC(year, month, day, hours, minutes, seconds);
}

/** Tells whether a Domain attribute admits the host that set it (§5.1.3): its own, or one above it. */
function isFor(host: string, domain: string): boolean {
  const wanted = domain.replace(/^\./, "").toLowerCase();
  if (wanted === "" || wanted === host) return true;
  const isAddress = host.startsWith("[") || /^[\d.]+$/.test(host);
  return !isAddress && host.endsWith(`.${wanted}`);
}

/** The directory of a path (§5.1.4). */
const defaultPath = (pathname: string): string =>
  pathname.slice(0, Math.max(pathname.lastIndexOf("/"), 0)) || "/";

const isWithin = (pathname: string, path: string): boolean =>
  pathname === path ||
  pathname.startsWith(path) && (path.endsWith("/") || pathname[path.length] === "/");
