import { z } from "zod";
import { branch, callee, condition, parameter, prompt } from "../model/flows/parts.ts";
import { flow, stepKinds, type StepType } from "../model/flows/steps.ts";
import { type JsonSchema, refTo } from "./schemas.ts";

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const stepName = (type: string): string => `Flow${capital(type)}`;
const stepNames = Object.keys(stepKinds).map(stepName);

const stepTexts: Record<StepType, string> = {
  say: "Speaks a text.",
  play: "Plays audio.",
  gather: "Takes digits or speech from the caller, into the variables of the flow.",
  record: "Records the caller.",
  dial: "Calls one party or several, and connects the first that answers.",
  enqueue: "Puts the caller into a queue, until an agent takes the call.",
  ussdMessage: "Shows a text in a USSD dialogue.",
  ussdCollect: "Shows a text in a USSD dialogue and waits for the reply.",
  sms: "Sends a text message.",
  email: "Sends an e-mail.",
  externalService: "Sends a request to a server and extracts variables from the response.",
  control: "Sets variables and chooses the next step by conditions.",
  redirect: "Hands the call over to call-control markup at a URL.",
  hangup: "Ends the call.",
};
const otherTexts: Record<string, string> = {
  Flow: "What an Application does, step by step, without a server.",
  FlowPrompt: "What a caller hears: one of say, play and pauseS.",
  FlowBranch: "The step that follows an input: with digits or speech.",
  FlowCallee: "A party that a dial calls: one of number, client, sip, conference and queue.",
  FlowCondition: "A comparison of a variable with a value.",
  FlowParameter: "A parameter of a request.",
};

const named = { Prompt: prompt, Branch: branch, Callee: callee, Condition: condition };

const texts: Record<string, string> = {
  ...otherTexts,
  ...Object.fromEntries(
    Object.entries(stepTexts).map(([type, text]) => [`Flow${capital(type)}`, text]),
  ),
};

/** The schemas of the parameter Flow and of its parts, by name. */
export const flowSchemas: Record<string, JsonSchema> = {
  ...schemasOf({
    Flow: flow,
    ...Object.fromEntries(
      Object.entries(stepKinds).map(([type, kind]) => [stepName(type), kind]),
    ),
    ...Object.fromEntries(Object.entries(named).map(([name, part]) => [`Flow${name}`, part])),
    FlowParameter: parameter,
  }),
  FlowStep: {
    description: "One step of a flow; its `type` says what it does.",
    oneOf: stepNames.map(refTo),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(
        Object.keys(stepKinds).map((type) => [type, refTo(stepName(type)).$ref]),
      ),
    },
  },
};

function schemasOf(declared: Record<string, z.ZodType>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(declared)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    uri: (id) => `#/components/schemas/${id}`,
    override({ jsonSchema }) {
      const isOfSteps = jsonSchema.oneOf !== undefined;
      if (!isOfSteps) return;
      delete jsonSchema.oneOf;
      Object.assign(jsonSchema, refTo("FlowStep"));
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [
      id,
      { description: texts[id], ...schema },
    ]),
  );
}
