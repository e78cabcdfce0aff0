import { conformance } from "./conformance_table.ts";
import { z } from "zod";
import { faults } from "../../../core/base/faults.ts";
import { variables } from "../../../core/machine/configuration/config.ts";
import { stepKinds, stepsOfKind } from "../../../core/model/flows/steps.ts";
import { elements } from "../../../core/markup/verbs/elements.ts";
import { attributeMeanings } from "./attribute_meanings.ts";
import { twilioMarkupRows } from "./twilio_markup.ts";

type Shape = Record<string, z.ZodType>;

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const table = (heads: string[], rows: string[][]) =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`)
    .join("\n");

/** The values and bounds that a schema of an attribute states, wherever in it they stand. */
function allowed(schema: unknown): string {
  const def = (schema as { def?: Record<string, unknown> } | undefined)?.def;
  if (def === undefined) return "";
  if (def.type === "enum") {
    return Object.values(def.entries as object).map((v) => `\`${v}\``).join(" ");
  }
  if (def.type === "number") {
    const { minimum, maximum } = z.toJSONSchema(schema as z.ZodNumber);
    return minimum === undefined ? "" : `${minimum} to ${maximum}`;
  }
  const inner = [def.innerType, def.out, def.in, def.element].map(allowed);
  return inner.find((text) => text !== "") ?? "";
}

function fallback(schema: z.ZodType): string {
  const value = schema.safeParse(undefined).data;
  if (value === undefined || value === "" || Array.isArray(value) && value.length === 0) return "";
  return `\`${value}\``;
}

function attributeTable(element: string): string {
  const rows = Object.entries(elements[element]!.attributes).map(([name, schema]) => {
    const meaning = attributeMeanings[element]?.[name] ?? attributeMeanings.all![name];
    if (meaning === undefined) {
      throw new Error(`${element} ${name} has no meaning in the reference`);
    }
    return [`\`${name}\``, fallback(schema), allowed(schema), meaning];
  });
  return rows.length === 0
    ? "No attributes."
    : table(["Attribute", "Default", "Values", "Meaning"], rows);
}

function configurationTable(group: string): string {
  const ofGroup = Object.entries(variables).filter(([, variable]) => variable.group === group);
  const rows = ofGroup.map(([name, { fallback, help }]) => {
    return [
      `\`${name}\``,
      typeof fallback === "string" && fallback !== "" ? `\`${fallback}\`` : "",
      help,
    ];
  });
  return table(["Variable", "Default", "Meaning"], rows);
}

function stepTable(step: string): string {
  const { shape } = stepKinds[step as keyof typeof stepKinds] as unknown as { shape: Shape };
  const rows = Object.entries(shape).filter(([name]) => name !== "type").map(([name, schema]) => [
    `\`${name}\``,
    schema.safeParse(undefined).success ? "" : "yes",
    allowed(schema),
    schema.description ?? "",
  ]);
  const kinds = Object.entries(stepsOfKind).filter(([, steps]) => steps.has(step));
  const where = `In Applications of Kind ${kinds.map(([kind]) => `\`${kind}\``).join(", ")}.`;
  const fields = rows.length === 0
    ? "No fields."
    : table(["Field", "Required", "Values", "Meaning"], rows);
  return `${where}\n\n${fields}`;
}

const errorTable = () =>
  table(
    ["Code", "Message", "What to do"],
    Object.values(faults).toSorted((a, b) => a.code - b.code)
      .map(({ code, message, advice }) => [String(code), message, advice]),
  );

/** The text of a generated table, by the two words of its marker. */
export function generated(kind: string, name: string): string {
  switch (kind) {
    case "attributes":
      return attributeTable(name);
    case "configuration":
      return configurationTable(name);
    case "step":
      return stepTable(name);
    case "errors":
      return errorTable();
    case "conformance":
      return conformance();
    case "twilio":
      return table(["Element", "Attribute", "Here", "Why"], twilioMarkupRows());
  }
  throw new Error(`There is no table ${kind} ${name}`);
}

/** A page with the tables between its markers `<!-- KIND NAME -->` and `<!-- / -->` made anew. */
export const withTables = (page: string): string =>
  page.replace(
    /<!-- (\w+) (\w+) -->\n[^]*?<!-- \/ -->/g,
    (_, kind: string, name: string) =>
      `<!-- ${kind} ${name} -->\n\n${generated(kind, name)}\n\n<!-- / -->`,
  );
