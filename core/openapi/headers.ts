import { headerRefs } from "./errors.ts";
import type { Operation } from "./operation.ts";
import type { JsonSchema } from "./schemas.ts";

const header = (description: string, schema: JsonSchema = { type: "string" }): JsonSchema => ({
  description,
  schema,
});
const seconds: JsonSchema = { type: "integer", minimum: 0 };

/** The response headers of the interface. */
export const headers: Record<string, JsonSchema> = {
  "X-Request-Id": header("Identity of the request: the value sent, or a new one; logs name it."),
  Warning: header(
    "Parameters that were ignored because no such parameter exists, each with the name that was " +
      "probably meant, and URLs that the service will not request, as their host is a private " +
      "address (RFC 7234 §5.5).",
  ),
  Link: header("Neighbouring pages of a list without a paging envelope (RFC 8288)."),
  "X-Total-Count": header("Number of records in the whole list.", seconds),
  "WWW-Authenticate": header("The authentication scheme: Basic (RFC 7617)."),
  "Retry-After": header("Seconds after which the request may succeed.", seconds),
  "Idempotent-Replayed": header(
    "true where the response is that of an earlier request with the same Idempotency-Key.",
    { type: "string", const: "true" },
  ),
  RateLimit: header(
    "What is left of each quota (r), and the seconds until it is whole again (t); " +
      "draft-ietf-httpapi-ratelimit-headers.",
  ),
  "RateLimit-Policy": header(
    "The quotas of the account that the request counts for: requests (q) in so many seconds (w).",
  ),
  Location: header("URL of the audio in the object storage.", { type: "string", format: "uri" }),
  ETag: header("Version of the audio, for If-None-Match and If-Range."),
  "Accept-Ranges": header("bytes where ranges can be requested, else none."),
  "Content-Range": header("The range that the response holds (RFC 9110 §14.4)."),
};

/** The headers of the success of an operation. */
export function headersOf(
  { id, form, query, isMaking, access, types = [] }: Operation,
): JsonSchema {
  const isAudio = types.some((type) => type.startsWith("audio/"));
  const isPlainList = query?.some(({ name }) => name === "Page") === true;
  const isCounted = /^list(Available|IncomingPhone|Local|TollFree|Mobile)/.test(id);
  return headerRefs([
    "X-Request-Id",
    ...(access === undefined ? ["RateLimit", "RateLimit-Policy"] : []),
    ...(form === undefined && query === undefined ? [] : ["Warning"]),
    ...(isPlainList ? ["Link"] : []),
    ...(isMaking === true ? ["Idempotent-Replayed"] : []),
    ...(isCounted ? ["X-Total-Count"] : []),
    ...(isAudio ? ["ETag", "Accept-Ranges"] : []),
  ]);
}
