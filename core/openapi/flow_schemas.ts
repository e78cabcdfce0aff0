import { z } from "zod";
import { branch, callee, condition, parameter, prompt } from "../flows/parts.ts";
import { flow, stepKinds } from "../flows/steps.ts";
import { type JsonSchema, refTo } from "./schemas.ts";

const capital = (name: string): string => name[0]!.toUpperCase() + name.slice(1);
const stepNames = Object.keys(stepKinds).map((type) => `Flow${capital(type)}`);

const named = { Prompt: prompt, Branch: branch, Callee: callee, Condition: condition };

/** What the text of the parameter Flow is, and what it is made of, by the name of their schema. */
export const flowSchemas: Record<string, JsonSchema> = {
  ...schemasOf({
    Flow: flow,
    ...Object.fromEntries(Object.values(stepKinds).map((kind, at) => [stepNames[at]!, kind])),
    ...Object.fromEntries(Object.entries(named).map(([name, part]) => [`Flow${name}`, part])),
    FlowParameter: parameter,
  }),
  FlowStep: { anyOf: stepNames.map(refTo) },
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
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}
