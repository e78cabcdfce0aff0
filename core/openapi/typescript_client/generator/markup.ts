import type { z } from "zod";
import { elements, topElements } from "../../../markup/verbs/elements.ts";

const elementsType = (names: string[]): string =>
  `Element<${names.map((name) => JSON.stringify(name)).join(" | ")}>`;

/** The module with a builder for each element. */
export function markupModule(): string {
  const builders = Object.entries(elements).map(([name, { attributes, contents }]) => {
    const lines = Object.entries(attributes).map(([key, schema]) =>
      `${key}?: ${attributeType(schema)};`
    );
    const content = contents === undefined
      ? "string"
      : contents.length === 0
      ? "never"
      : elementsType(contents);
    return `/** Builds \`${name}\`. */
export const ${name.charAt(0).toLowerCase()}${name.slice(1)}: Builder<"${name}", {
${lines.join("\n")}
}, ${content}> = builder("${name}");
`;
  });
  return `import { type Builder, builder, documentOf, type Element } from "./element.ts";

${builders.join("\n")}
/** Builds a document for a call, a message or a USSD dialogue. */
export const response: (...verbs: ${elementsType(topElements)}[]) => string = documentOf;
`;
}

/** The type of an attribute, by what its schema makes of texts: every attribute is read from one. */
function attributeType(schema: z.ZodType): string {
  const read = (text: string): unknown => schema.safeParse(text).data;
  if (read("true") === true) return "boolean";
  if (["1", "10", "100"].some((text) => typeof read(text) === "number")) return "number";
  if (read("get") === "GET") return '"GET" | "POST"';
  return optionsOf(schema)?.map((option) => JSON.stringify(option)).join(" | ") ?? "string";
}

/** The values of an enum that reads the attribute as it stands; undefined where none does. */
function optionsOf(schema: z.ZodType): string[] | undefined {
  // zod's type of a definition differs by kind; what a kind lacks reads as undefined.
  const { def } = schema as unknown as { def: Record<string, unknown> };
  if (def.type === "enum") return Object.keys(def.entries as object);
  const under = (def.innerType ?? def.in) as z.ZodType | undefined;
  return under && optionsOf(under);
}
