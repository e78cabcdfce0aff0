import { parameterTexts, parameterValues } from "./callback_parameters.ts";
import { declaredWebhooks, type Webhook } from "./declared_webhooks.ts";
import { type JsonSchema, refTo } from "./schemas.ts";

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const schemaName = (name: string): string => `${capital(name)}Request`;

/** SIP headers of the INVITE (RFC 3261) that begin with X-, and User-to-User (RFC 7433). */
const headerParameters = {
  "^SipHeader_": {
    type: "string",
    description:
      "X- or User-to-User header of the INVITE, or parameters of a number in another header.",
  },
  "^DialSipHeader_": {
    type: "string",
    description: "X- or User-to-User header of the final SIP response of the callee.",
  },
};

/** The parameters of each webhook, by the name of their schema. */
export const callbackSchemas: Record<string, JsonSchema> = Object.fromEntries(
  Object.entries(declaredWebhooks).map(([name, { always, sometimes = [], values, summary }]) => [
    schemaName(name),
    {
      type: "object",
      description: `${summary}: the parameters.`,
      properties: Object.fromEntries(
        [...new Set([...always, ...sometimes])].map((parameter) => [
          parameter,
          {
            type: "string",
            ...parameterValues[parameter],
            ...values?.[parameter] && { enum: values[parameter] },
            description: parameterTexts[parameter],
          },
        ]),
      ),
      patternProperties: headerParameters,
      required: [...new Set(always)],
      additionalProperties: { type: "string" },
    },
  ]),
);

const header = (name: string, description: string, required: boolean): JsonSchema => ({
  name,
  in: "header",
  required,
  schema: { type: "string" },
  description,
});

const signature = header(
  "X-Switchboard-Signature",
  "Time and signature of the request: `t=SECONDS,v1=HEX`, an HMAC-SHA256 keyed with the AuthToken.",
  true,
);
const delivery = header(
  "X-Switchboard-Delivery",
  "Sid of the Delivery, the same on every attempt and replay.",
  true,
);

/** The webhooks as OpenAPI 3.1 describes them. */
export const webhooks = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(declaredWebhooks).map((
      [name, webhook],
    ) => [name, { post: operation(name, webhook) }]),
  );

function operation(name: string, { summary, description, tag, isMarkup }: Webhook): JsonSchema {
  const repeated = "Any response below 500 confirms it; otherwise it is sent again with back-off.";
  const asked = "The response is call-control markup.";
  return {
    operationId: `on${capital(name)}`,
    summary,
    description: `${description} ${isMarkup ? asked : repeated} ` +
      "With the method GET the parameters are in the query.",
    tags: [tag],
    security: [],
    parameters: isMarkup ? [signature] : [signature, delivery],
    requestBody: {
      required: true,
      content: { "application/x-www-form-urlencoded": { schema: refTo(schemaName(name)) } },
    },
    responses: isMarkup
      ? {
        200: { description: "Call-control markup.", content: { "application/xml": {} } },
        "4XX": { description: "An error; the fallback URL is requested where there is one." },
      }
      : {
        "2XX": { description: "The callback is received." },
        "4XX": { description: "The callback is received; a Notification warns of the response." },
      },
  };
}
