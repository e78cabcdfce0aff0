import { limits } from "../../core/base/limits.ts";

export type Format = "xml" | "json";

const suffix = /\.json(?=\/|$)/g;
const paths = new WeakMap<Request, string>();

const ofVersion = new RegExp(`^/+(?:${limits.apiVersion}|${limits.twilioApiVersion})(?:/|$)`);

/** The path of an interface without empty segments: clients join addresses with one slash too many. */
const plainPath = (path: string): string =>
  ofVersion.test(path) ? path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "") : path;

/** The path of a request. It is asked for several times, and reading an address takes long. */
function pathOf(request: Request): string {
  const known = paths.get(request);
  if (known !== undefined) return known;
  const path = plainPath(new URL(request.url).pathname);
  paths.set(request, path);
  return path;
}

/** Gateways answer there as under the other version. */
const twilioPath = new RegExp(
  `^/${limits.twilioApiVersion}/(?!Accounts(?:\\.json)?/[^/]+/Management(?:\\.json)?/)`,
);

/** Whether a path is one of the interface for Twilio's libraries. */
const isTwilio = (path: string): boolean => twilioPath.test(path);

/**
 * The path for routing, without the suffix `.json` of any of its segments, and without empty segments.
 * Twilio's interface knows `.xml` as well.
 */
export function routedPath(request: Request): string {
  const path = pathOf(request).replaceAll(suffix, "");
  return path.endsWith(".xml") && isTwilio(path) ? path.slice(0, -".xml".length) : path;
}

/** The outermost element of an answer in XML. */
export const xmlRoot = (request: Request): string =>
  isTwilio(pathOf(request)) ? "TwilioResponse" : "ServiceResponse";

/** JSON when the path says `.json` or the Accept header prefers it; XML otherwise. */
export function formatOf(request: Request): Format {
  if (/\.json(\/|$)/.test(pathOf(request))) return "json";
  if (isTwilio(pathOf(request)) && pathOf(request).endsWith(".xml")) return "xml";
  const accept = request.headers.get("Accept")?.toLowerCase() ?? "";
  return accept !== "" && prefersJson(accept) ? "json" : "xml";
}

/** Whether JSON has a higher quality than XML, or the same and is first (RFC 9110 §12.5.1). */
function prefersJson(accept: string): boolean {
  const ranges = accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, quality: Number(quality ?? 1) || 0 };
  });
  const json = ranges.findIndex(({ type }) => type === "application/json");
  const xml = ranges.findIndex(({ type }) => type === "application/xml" || type === "text/xml");
  const jsonQuality = ranges[json]?.quality ?? 0;
  const xmlQuality = ranges[xml]?.quality ?? 0;
  if (jsonQuality === xmlQuality) return json >= 0 && jsonQuality > 0 && json < xml;
  return jsonQuality > xmlQuality;
}
