import type { Settings } from "../model/values/settings.ts";
import type { AnyResource } from "../model/resource.ts";
import { accounts } from "../model/resources/accounts.ts";
import {
  availablePhoneNumbers,
  numberCountries,
} from "../model/resources/available_phone_numbers.ts";
import { documentTests } from "../model/resources/views/document_tests.ts";
import { bindings } from "../model/resources/views/bindings.ts";
import { emailRecords } from "../model/resources/emails.ts";
import { resources, resourcesUnder } from "../model/resources/mod.ts";
import { validationRequests } from "../model/resources/views/validation_requests.ts";
import { accountLimits } from "../model/resources/views/account_limits.ts";
import { secondFactors } from "../model/resources/views/second_factors.ts";
import { secondaryAuthTokens } from "../model/resources/views/auth_tokens.ts";
import { statistics } from "../model/resources/views/statistics.ts";
import { tokens } from "../model/resources/views/tokens.ts";
import { usageRecords } from "../model/resources/views/usage_records.ts";
import { nextTurn } from "../base/turns.ts";
import { version } from "../base/version.ts";
import { designerSchemas } from "./designer.ts";
import { flowSchemas } from "./flow_schemas.ts";
import { irregularForms, irregularOperations } from "./irregular.ts";
import { listSchema } from "./lists.ts";
import { eventSchemas } from "./events.ts";
import { monitorSchemas } from "./monitors.ts";
import { pathsOf } from "./paths.ts";
import { errorComponents } from "./errors.ts";
import { examplesUnder } from "./examples.ts";
import { headers } from "./headers.ts";
import { serviceSchemas } from "./service_schemas.ts";
import { supervisorSchemas } from "./supervisor_schemas.ts";
import { callbackSchemas, webhooks } from "./webhooks.ts";
import { one, regularForms, regularOperations } from "./regular.ts";
import { described, type JsonSchema, recordSchema } from "./schemas.ts";

/** The interface as OpenAPI 3.1 describes one. */
export interface OpenApiDocument {
  openapi: string;
  info: JsonSchema & { title: string; version: string; description: string };
  servers: { url: string }[];
  security: JsonSchema[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, JsonSchema>>;
  webhooks: Record<string, JsonSchema>;
  components: Record<string, Record<string, JsonSchema>>;
}

const others: AnyResource[] = [
  accounts,
  availablePhoneNumbers,
  bindings,
  emailRecords,
  numberCountries,
  statistics,
  usageRecords,
];

/** Shown or offered, but nowhere to be read by themselves. */
const unaddressed: AnyResource[] = [resources.emails, availablePhoneNumbers, bindings];

/** Never shown as a list. */
const unlisted: AnyResource[] = [
  resources.emails,
  resources.sandboxes,
  statistics,
];

const description = [
  "Programmable telephony and messaging: a REST interface, call-control markup and SIP.",
  "Operations are described in JSON, at paths that end in `.json`. Without `.json` the same " +
  "operation answers XML, or JSON where the Accept header prefers it. XML has the names of JSON " +
  "in PascalCase, inside `ServiceResponse`.",
  "Request bodies are described as JSON objects. A form (application/x-www-form-urlencoded) of the " +
  "same names is accepted as well.",
  "Credentials are those of HTTP Basic authentication: the Sid or the e-mail address of an account " +
  "and its AuthToken, or the Sid of an API key and its secret. AccountSid in a path is the caller's own account or one below it.",
].join("\n\n");

/** The headings of operations that are not about one resource. */
const otherTags: Record<string, string> = {
  Event: "Changes of records as they happen, as server-sent events.",
  Service: "The service itself: health, error codes and this document. It needs no credentials.",
  Supervisor: "The running instance, for the root account.",
};

const headings: AnyResource[] = [
  ...Object.values<AnyResource>(resources),
  ...others,
  accountLimits,
  secondFactors,
  validationRequests,
  secondaryAuthTokens,
  tokens,
  documentTests,
];

const tagText = (name: string): string =>
  otherTags[name] ?? // Every other tag is the type of a resource.
    headings.find(({ type }) => type === name)!.description;

type Rules = Pick<Settings, "baseUrl" | "clientPasswordMin" | "recordingsOpenInS3">;

/** Describes the whole interface as it is offered at a base URL, under an operator's rules. */
export const openApiDocument = (settings: Rules): OpenApiDocument =>
  Object.assign({}, ...partsOf(settings)) as OpenApiDocument; // They have all of its fields.

/** The same, in parts, so that other work has its turn between them. */
export async function openApiInParts(settings: Rules): Promise<OpenApiDocument> {
  const document: Partial<OpenApiDocument> = {};
  for (const part of partsOf(settings)) {
    Object.assign(document, part);
    await nextTurn();
  }
  return document as OpenApiDocument; // The parts have all of its fields.
}

function* partsOf(settings: Rules): Generator<Partial<OpenApiDocument>> {
  const known = Object.values<AnyResource>(resourcesUnder(settings))
    .filter(({ internal }) => !internal);
  yield {
    openapi: "3.1.0",
    info: {
      title: "Switchboard",
      version,
      description,
      contact: { name: "Documentation", url: `${settings.baseUrl}/docs` },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: settings.baseUrl }],
    security: [{ basic: [] }],
  };
  const regular = known.filter(({ irregular }) => !irregular);
  const operations = [...regular.flatMap(regularOperations), ...irregularOperations];
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
  yield { tags: tags.map((name) => ({ name, description: tagText(name) })) };
  yield { paths: pathsOf(operations, examplesUnder(settings)) };
  yield { webhooks: webhooks() };
  yield {
    components: {
      securitySchemes: {
        basic: {
          type: "http",
          scheme: "basic",
          description:
            "User: the Sid or the e-mail address of an account. Password: its AuthToken.",
        },
      },
      responses: errorComponents(settings.baseUrl),
      headers,
      schemas: schemas([...known, ...others]),
    },
  };
}

function schemas(declared: AnyResource[]): Record<string, JsonSchema> {
  const records = declared.map((definition) => {
    const isAddressed = !unaddressed.includes(definition);
    return [definition.type, recordSchema(definition, { isAddressed })];
  });
  const lists = declared.filter((definition) => !unlisted.includes(definition))
    .map((definition) => [`${definition.type}List`, listSchema(definition)]);
  const forms = { ...Object.assign({}, ...declared.map(regularForms)), ...irregularForms };
  return {
    ...Object.fromEntries([...records, ...lists]),
    ...mapEntries(forms, describedForm),
    ...flowSchemas,
    ...designerSchemas,
    ...serviceSchemas,
    ...eventSchemas,
    ...monitorSchemas,
    ...supervisorSchemas,
    ...callbackSchemas,
  };
}

/** A request body with its purpose, by its name; MutedCall, Token and DocumentTest have one already. */
function describedForm(name: string, schema: JsonSchema): JsonSchema {
  const [, type, action] = /^(\w+?)(Create|Update)(OfKind)?$/.exec(name) ?? [];
  if (type === undefined) return schema;
  return described(`Parameters that ${action?.toLowerCase()} ${one(type)}.`, schema);
}

const mapEntries = (
  schemas: Record<string, JsonSchema>,
  change: (name: string, schema: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, change(name, one)]));
