export type Format = "xml" | "json";

const suffix = /\.json(?=\/|$)/g;
const pathOf = (request: Request) => new URL(request.url).pathname;

/** The path for routing, without the suffix `.json` of any of its segments. */
export const routedPath = (request: Request): string => pathOf(request).replaceAll(suffix, "");

/** JSON when the path says `.json` or the Accept header prefers it; XML otherwise. */
export function formatOf(request: Request): Format {
  if (/\.json(\/|$)/.test(pathOf(request))) return "json";
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
