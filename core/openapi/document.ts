import { faults } from "../base/faults.ts";
import type { Settings } from "../values/settings.ts";
import type { AnyResource } from "../model/resource.ts";
import { accounts } from "../resources/accounts.ts";
import { availablePhoneNumbers, numberCountries } from "../resources/available_phone_numbers.ts";
import { bindings } from "../resources/bindings.ts";
import { resources, resourcesUnder } from "../resources/mod.ts";
import { usageRecords } from "../resources/usage_records.ts";
import { version } from "../supervisor/metrics.ts";
import { flowSchemas } from "./flow_schemas.ts";
import { irregularForms, irregularOperations } from "./irregular.ts";
import { listSchema } from "./lists.ts";
import { jsonType, pathsOf } from "./operation.ts";
import { regularForms, regularOperations } from "./regular.ts";
import { closed, type JsonSchema, recordSchema, refTo } from "./schemas.ts";

/** What the interface is, as OpenAPI 3.1 describes one. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: JsonSchema[];
  tags: { name: string }[];
  paths: Record<string, Record<string, JsonSchema>>;
  components: Record<string, Record<string, JsonSchema>>;
}

const others: AnyResource[] = [
  accounts,
  availablePhoneNumbers,
  bindings,
  numberCountries,
  usageRecords,
];

/** Shown or offered, but nowhere to be read by themselves. */
const unaddressed: AnyResource[] = [resources.emails, availablePhoneNumbers, bindings];

/** Never shown as a list. */
const unlisted: AnyResource[] = [resources.emails, resources.geolocations, resources.sandboxes];

const description = "Answers are XML, or JSON when the path ends in .json or the Accept header " +
  "prefers it. XML has the names of JSON in PascalCase, inside ServiceResponse. Bodies are forms " +
  "or JSON objects of the same names. Credentials are the Sid or the e-mail address of an account " +
  "and its AuthToken. In a path, AccountSid is the caller's own account or one below it, by either.";

/** Describes the whole interface as it is offered at a base URL, under an operator's rules. */
export function openApiDocument(
  settings: Pick<Settings, "baseUrl" | "clientPasswordMin" | "recordingsOpenInS3">,
): OpenApiDocument {
  const known = Object.values<AnyResource>(resourcesUnder(settings))
    .filter(({ internal }) => !internal);
  const regular = known.filter(({ irregular }) => !irregular);
  const operations = [...regular.flatMap(regularOperations), ...irregularOperations];
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
  return {
    openapi: "3.1.0",
    info: { title: "Switchboard", version, description },
    servers: [{ url: settings.baseUrl }],
    security: [{ basic: [] }],
    tags: tags.map((name) => ({ name })),
    paths: pathsOf(operations),
    components: {
      securitySchemes: { basic: { type: "http", scheme: "basic" } },
      responses: {
        Error: {
          description: "A refusal or a failure; in XML, a RestException.",
          content: { [jsonType]: { schema: refTo("Error") }, "application/xml": {} },
        },
      },
      schemas: schemas([...known, ...others]),
    },
  };
}

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer", minimum: 0 };

function schemas(declared: AnyResource[]): Record<string, JsonSchema> {
  const records = declared.map((definition) => {
    const isAddressed = !unaddressed.includes(definition);
    return [definition.type, recordSchema(definition, { isAddressed })];
  });
  const lists = declared.filter((definition) => !unlisted.includes(definition))
    .map((definition) => [`${definition.type}List`, listSchema(definition)]);
  return {
    ...Object.fromEntries([...records, ...lists]),
    ...Object.assign({}, ...declared.map(regularForms)),
    ...irregularForms,
    ...flowSchemas,
    ...serviceSchemas,
  };
}

const reach: JsonSchema = { enum: ["ok", "unreachable"] };
const error: Record<string, JsonSchema> = {
  code: {
    oneOf: Object.values(faults).map(({ code, message, advice }) => ({
      const: code,
      title: message,
      description: advice,
    })),
  },
  message: text,
  more_info: { type: "string", format: "uri" },
  status: { type: "integer" },
};

const serviceSchemas: Record<string, JsonSchema> = {
  Error: closed(error),
  Health: closed({ status: { const: "ok" } }),
  Ready: closed({ store: { const: "ok" }, companion: { const: "ok" } }),
  Unready: closed({ ...error, store: reach, companion: reach }),
  Metrics: {
    type: "object",
    properties: {
      InstanceId: text,
      Version: text,
      Revision: text,
      Metrics: { type: "object", additionalProperties: count },
      LiveCallDetails: { type: "array", items: refTo("LiveCall") },
    },
    required: ["InstanceId", "Version", "Revision", "Metrics"],
  },
  LiveCall: closed({
    sid: text,
    State: text,
    direction: text,
    date_created: text,
    from: text,
    to: text,
    "Initial Invite": { type: ["string", "null"] },
  }),
};
