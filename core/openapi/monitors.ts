import { monitorParams } from "../model/resources/internal/monitoring.ts";
import { calls } from "../model/resources/calls.ts";
import { conferences } from "../model/resources/conferences.ts";
import { accountPath, type Operation } from "./operation.ts";
import { createOperation } from "./regular.ts";
import { closed, described, descriptionOf, type JsonSchema, refTo } from "./schemas.ts";

const text: JsonSchema = { type: "string" };
const unheard =
  "The other parties do not hear the Client, hear no beep and are not told of it. The law of " +
  "their country may forbid that. Only an Administrator may listen. CALL_MONITORING=false " +
  "turns listening off.";

const monitored = [
  { of: calls, name: "Call", article: "a call", ends: "the call" },
  { of: conferences, name: "Conference", article: "a conference", ends: "the conference" },
];

/** The operations that listen to calls and conferences. */
export const monitorOperations: Operation[] = monitored.flatMap(({ of, name, article, ends }) => {
  const path = `${accountPath}/${of.path}/{Sid}/Monitors`;
  return [
    createOperation(calls, {
      path,
      id: `monitor${name}`,
      summary: `Rings a Client with a call that listens to ${article}`,
      description: `The Client hears all parties until it hangs up or ${ends} ends. ${unheard}`,
      form: refTo("MonitorCreate"),
    }),
    {
      method: "get",
      path,
      id: `list${name}Monitors`,
      summary: `Reads which calls listened to ${article}`,
      description: "The latest 20, the last one last.",
      tag: of.type,
      answer: refTo("Monitors"),
      types: ["application/json"],
    } satisfies Operation,
  ];
});

export const monitorForms: Record<string, JsonSchema> = {
  MonitorCreate: {
    type: "object",
    properties: {
      To: {
        ...text,
        pattern: "^client:[A-Za-z0-9\\-._+]{1,64}$",
        description: descriptionOf(monitorParams.shape.to),
      },
    },
    required: ["To"],
  },
};

export const monitorSchemas: Record<string, JsonSchema> = {
  Monitors: described(
    "The calls that listened to a call or a conference.",
    closed({
      monitors: described("The calls, the last one last.", {
        type: "array",
        items: refTo("Monitor"),
      }),
    }),
  ),
  Monitor: described(
    "A call that listened to another one or to a conference.",
    closed({
      call_sid: described("Sid of the call that listened.", text),
      to: described("The Client that it rang.", text),
      date_created: described("When it was placed, as an ISO 8601 date in UTC.", text),
    }),
  ),
};
