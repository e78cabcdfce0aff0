import assert from "node:assert/strict";
import { assertFits, document, fits } from "./openapi.ts";

/** The parameters of a request that the service sent to a customer's server. */
export type Form = Record<string, string>;

const schemaOf = (webhook: string): string => {
  const { post } = document.webhooks[webhook] as {
    post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } };
  };
  const [body] = Object.values(post.requestBody.content);
  return body!.schema.$ref.split("/").at(-1)!;
};

const propertiesOf = (webhook: string): string[] => {
  const schemas = document.components.schemas as unknown as Record<
    string,
    { properties: Record<string, unknown> }
  >;
  return Object.keys(schemas[schemaOf(webhook)]!.properties);
};

/** The parameters of a webhook that are not those of every request of a call. */
export function ownParameters(webhook: string): string[] {
  const ofCall = propertiesOf("ussd"); // It has no others.
  return propertiesOf(webhook).filter((parameter) => !ofCall.includes(parameter));
}

/** Reads the form of a POST or the query of a GET. */
export async function formOf(request: Request): Promise<Form> {
  const { searchParams } = new URL(request.url);
  const text = request.method === "GET" ? "" : await request.clone().text();
  return Object.fromEntries(request.method === "GET" ? searchParams : new URLSearchParams(text));
}

/** Asserts that a webhook of the document has these parameters, no more and no less. */
export function assertWebhook(webhook: string, form: Form): void {
  assert.ok(document.webhooks[webhook] !== undefined, `the document has no webhook ${webhook}`);
  assertFits(schemaOf(webhook), form);
}

/**
 * Asserts that a signed request is one of the webhooks of the document. A GET adds its parameters
 * to the query of the customer's URL, so only POST is compared.
 */
export async function assertDescribedWebhook(request: Request): Promise<void> {
  if (request.method !== "POST" || !request.headers.has("x-switchboard-signature")) return;
  const form = await formOf(request);
  const isDescribed = Object.keys(document.webhooks).some((name) => fits(schemaOf(name), form));
  assert.ok(isDescribed, `no webhook of the document has ${Deno.inspect(form)}`);
}
