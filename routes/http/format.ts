import { limits } from "../../core/base/limits.ts";

export type Format = "xml" | "json";

/** The suffix of JSON, in any case, at the end of a segment. */
const suffix = /\.json(?=\/|$)/gi;
const xmlSuffix = /\.xml$/i;
const paths = new WeakMap<Request, string>();

/** The paths of the interfaces; `v1` and the like are those of Twilio's other products. */
const ofVersion = new RegExp(
  `^/+(?:${limits.apiVersion}|${limits.twilioApiVersion}|v\\d)(?:/|$)`,
);

/** The path of an interface without empty segments: clients join addresses with one slash too many. */
const plainPath = (path: string): string =>
  ofVersion.test(path) ? path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "") : path;

/**
 * The path of a request, without empty segments where it is one of an interface. It is asked for
 * several times, and reading an address takes long.
 */
export function pathOf(request: Request): string {
  const known = paths.get(request);
  if (known !== undefined) return known;
  const path = plainPath(new URL(request.url).pathname);
  paths.set(request, path);
  return path;
}

/** Gateways answer there as under the other version. */
const twilioPath = new RegExp(
  `^/${limits.twilioApiVersion}/(?!Accounts(?:\\.json)?/[^/]+/Management(?:\\.json)?/)`,
  "i",
);

/** True for a path of the interface for Twilio's libraries. */
const isTwilio = (path: string): boolean => twilioPath.test(path);

/**
 * The path for routing, without the suffix `.json` of any of its segments, and without empty segments.
 * Twilio's interface knows `.xml` as well.
 */
export function routedPath(request: Request): string {
  const path = pathOf(request).replaceAll(suffix, "");
  return isTwilio(path) ? path.replace(xmlSuffix, "") : path;
}

/** The outermost element of an answer in XML. */
export const xmlRoot = (request: Request): string =>
  isTwilio(pathOf(request)) ? "TwilioResponse" : "ServiceResponse";

/** The format that the path names; null when it names none. */
export function suffixOf(request: Request): Format | null {
  const path = pathOf(request);
  if (path.search(suffix) >= 0) return "json";
  return isTwilio(path) && xmlSuffix.test(path) ? "xml" : null;
}

/** JSON when the path says `.json` or the Accept header prefers it; XML otherwise. */
export function formatOf(request: Request): Format {
  const named = suffixOf(request);
  if (named !== null) return named;
  const accept = request.headers.get("Accept")?.toLowerCase() ?? "";
  return accept !== "" && prefersJson(accept) ? "json" : "xml";
}

/** The media ranges of an Accept header in small letters, in its order (RFC 9110 §12.5.1). */
export const qualitiesOf = (accept: string): { type: string; quality: number }[] =>
  accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, quality: Number(quality ?? 1) || 0 };
  });

/** Tells whether JSON has a higher quality than XML, or the same and is first (RFC 9110 §12.5.1). */
function prefersJson(accept: string): boolean {
  const ranges = qualitiesOf(accept);
  const json = ranges.findIndex(({ type }) => type === "application/json");
  const xml = ranges.findIndex(({ type }) => type === "application/xml" || type === "text/xml");
  const jsonQuality = ranges[json]?.quality ?? 0;
  const xmlQuality = ranges[xml]?.quality ?? 0;
  if (jsonQuality === xmlQuality) return json >= 0 && jsonQuality > 0 && json < xml;
  return jsonQuality > xmlQuality;
}
