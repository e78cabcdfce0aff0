import { type FaultKind, faults } from "../base/faults.ts";
import type { Operation } from "./operation.ts";
import { described, type JsonSchema, refTo } from "./schemas.ts";

/** The errors of the interface: their codes, and which operation answers which. */

interface ErrorResponse {
  name: string;
  kind: FaultKind;
  description: string;
  headers?: string[];
}

/** Every named error response, by HTTP status. */
const errors: Record<number, ErrorResponse> = {
  400: {
    name: "BadRequest",
    kind: "invalid",
    description: "A parameter is missing or wrong; the message names it and the rule it breaks.",
  },
  401: {
    name: "Unauthorized",
    kind: "unauthenticated",
    description: "The credentials are missing or wrong.",
    headers: ["WWW-Authenticate"],
  },
  403: {
    name: "Forbidden",
    kind: "denied",
    description: "The account may not do this, or is not active.",
  },
  404: { name: "NotFound", kind: "missing", description: "There is no such record." },
  409: {
    name: "Conflict",
    kind: "conflict",
    description: "A value that must be unique is in use already.",
  },
  413: { name: "ContentTooLarge", kind: "tooLarge", description: "The body is too large." },
  415: {
    name: "UnsupportedMediaType",
    kind: "unsupportedMedia",
    description: "The body is neither a form nor a JSON object, or is compressed.",
  },
  429: {
    name: "TooManyRequests",
    kind: "throttled",
    description:
      "The rate limit of the account is exceeded, or the client repeats wrong credentials.",
    headers: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  },
  503: {
    name: "ServiceUnavailable",
    kind: "unavailable",
    description: "Something that the service needs is out of reach; try again later.",
    headers: ["Retry-After"],
  },
};

const refToResponse = (name: string): JsonSchema => ({ $ref: `#/components/responses/${name}` });

/** The error responses of an operation, by status. */
export function errorResponses({ form, query, access, types }: Operation): JsonSchema {
  if (access === "open") {
    return { "4XX": refToResponse("Error"), default: refToResponse("Error") };
  }
  const isRecordOnly = form === undefined && query === undefined;
  const statuses = [
    ...(isRecordOnly ? [] : [400]),
    401,
    403,
    404,
    ...(form === undefined ? [] : [409, 413, 415]),
    429,
    ...(types?.includes("audio/wav") ? [] : [503]),
  ];
  return {
    // `errors` has an entry for each status above.
    ...Object.fromEntries(statuses.map((at) => [at, refToResponse(errors[at]!.name)])),
    default: refToResponse("Error"),
  };
}

const content = (example: JsonSchema): JsonSchema => ({
  "application/json": { schema: refTo("Error"), example },
});

/** The error responses by name; `Error` is any other. */
export function errorComponents(baseUrl: string): Record<string, JsonSchema> {
  const exampleOf = (wanted: FaultKind, status: number): JsonSchema => {
    const { code, message } = Object.values(faults).find(({ kind }) => kind === wanted)!;
    return { code, message, more_info: `${baseUrl}/errors/${code}`, status };
  };
  const named = Object.entries(errors).map(([status, error]) => {
    const { name, kind, description, headers = [] } = error;
    return [name, {
      description,
      headers: headerRefs(["X-Request-Id", ...headers]),
      content: content(exampleOf(kind, Number(status))),
    }] as const;
  });
  return {
    ...Object.fromEntries(named),
    Error: {
      description: "An error; in XML, a RestException with the same values.",
      headers: headerRefs(["X-Request-Id"]),
      content: content(exampleOf("internal", 500)),
    },
  };
}

/** References to headers of the components. */
export const headerRefs = (names: string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const entries = Object.values(faults);
const codes = [...new Set(entries.map(({ code }) => code))];
const meaningOf = (wanted: number): string => {
  // The codes are those of the entries.
  const { message, advice } = entries.find(({ code }) => code === wanted)!;
  return `${message}. ${advice}`;
};

/** The properties of an error. */
export const errorProperties: Record<string, JsonSchema> = {
  code: {
    type: "integer",
    enum: codes,
    "x-enumDescriptions": Object.fromEntries(codes.map((code) => [code, meaningOf(code)])),
    description: "Error code; it is stable.",
  },
  message: described("What failed and why, in English.", { type: "string" }),
  more_info: described("URL of the page that explains the code.", {
    type: "string",
    format: "uri",
  }),
  status: described("HTTP status of the response.", { type: "integer" }),
};
