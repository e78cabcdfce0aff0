import type { JsonSchema } from "../../../core/openapi/schemas.ts";
import type { Row } from "./api.ts";
import { Choice } from "./choice.tsx";
import { fieldOf, snake } from "../../../core/base/wire.ts";

/** A parameter of a form, as the interface describes it. */
export interface Field {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

/** The parameters of a form's schema, in its order, required ones first. */
export function fieldsOf(schema: JsonSchema): Field[] {
  // Schemas of forms are objects whose properties are schemas.
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }));
  return fields.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

/** Names that people know by other words. */
const otherTitles: Record<string, string> = {
  RcmlUrl: "Markup URL",
  DateCreated: "Created",
  DateUpdated: "Changed",
  DateLastUsed: "Last used",
  VoiceCallerIdLookup: "Look up caller names",
};

/** VoiceFallbackUrl as people read it: Voice fallback URL. */
export function titleOf(name: string): string {
  const other = otherTitles[name];
  if (other !== undefined) return other;
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").split(" ");
  const kept = new Set(["URL", "SMS", "USSD", "SIP", "ID", "TTL", "PIN"]);
  const plain = words.map((word, at) => {
    const upper = word.toUpperCase();
    if (kept.has(upper)) return upper;
    if (upper === "SID") return "Sid";
    return at === 0 ? word : word.toLowerCase();
  });
  return plain.join(" ");
}

/** Values that a field is chosen from, each with its title, by the name of the field. */
export type Choices = Readonly<
  Record<string, readonly (readonly [value: string, title: string])[]>
>;

/** The inputs of a form, with their `values`. */
export const Inputs = (
  { fields, values = {}, id = "f", choices = {}, unset = "as it is", problem = "" }: {
    fields: Field[];
    values?: Record<string, string>;
    id?: string;
    choices?: Choices;
    /** Meaning of no choice. */
    unset?: string;
    /** Refusal of the form as it was sent: it names the fields. */
    problem?: string | undefined;
  },
) => (
  <>
    {fields.map(({ name, schema, isRequired }) => (
      <div class="input">
        <label for={`${id}-${name}`}>
          {titleOf(name.replace(/(?<=Application)Sid$/, ""))}
          {isRequired && <span class="soft">(required)</span>}
        </label>
        {choices[name]
          ? (
            <Choice
              id={`${id}-${name}`}
              name={name}
              value={values[name] ?? ""}
              options={optionsOf(choices[name], values[name], unset)}
              describedBy={`${id}-${name}-hint`}
              isWrong={isNamed(name, problem)}
            />
          )
          : (
            <Input
              id={`${id}-${name}`}
              name={name}
              schema={schema}
              isRequired={isRequired}
              value={values[name] ?? ""}
              unset={unset}
              isWrong={isNamed(name, problem)}
            />
          )}
        {typeof schema.description === "string" && (
          <p class="hint" id={`${id}-${name}-hint`}>{hintOf(schema.description)}</p>
        )}
      </div>
    ))}
  </>
);

/** The description of a parameter without the parts for programs. */
const hintOf = (description: string): string =>
  description.replaceAll(/ (?:An empty value clears it|Also named \w+)\./g, "");

/** Texts from which a field has room for several lines. */
const longText = 400;

/** True for a refusal about a parameter. */
export const isNamed = (name: string, problem: string): boolean =>
  problem !== "" && new RegExp(`\\b${name}\\b`).test(problem);

/** The values of a choice; where none is set, nothing is chosen. */
const optionsOf = (
  options: Choices[string],
  value: string | undefined,
  unset: string,
): Choices[string] =>
  value || options.some(([one]) => one === "") ? options : [["", unset], ...options];

function Input(
  { id, name, schema, isRequired, value, unset, isWrong }: Field & {
    id: string;
    value: string;
    unset: string;
    isWrong: boolean;
  },
) {
  const flat = flatten(schema);
  const common = {
    id,
    name,
    required: isRequired,
    "aria-describedby": `${id}-hint`,
    ...isWrong && { "aria-invalid": "true" as const, autofocus: true },
  };
  const options = flat.enum as string[] | undefined ??
    (flat.type === "boolean" ? ["true", "false"] : undefined);
  if (options !== undefined) {
    return (
      <select {...common}>
        {!isRequired && <option value="" selected={value === ""}>{unset}</option>}
        {options.map((one) => <option value={one} selected={value === String(one)}>{one}</option>)}
      </select>
    );
  }
  if (
    name === "Body" || name === "Flow" || Number(flat.maxLength ?? 0) > longText && !isUrl(name)
  ) {
    return <textarea {...common} rows={4} maxlength={flat.maxLength as number}>{value}</textarea>;
  }
  const type = /password/i.test(name)
    ? "password"
    : flat.type === "integer" || flat.type === "number"
    ? "number"
    : "text";
  return (
    <input
      {...common}
      type={type}
      value={type === "password" ? "" : value}
      min={flat.minimum as number}
      max={flat.maximum as number}
      minlength={flat.minLength as number}
      maxlength={flat.maxLength as number}
      inputmode={isUrl(name) ? "url" : undefined}
      autocomplete={type === "password" ? "new-password" : "off"}
      spellcheck={false}
    />
  );
}

const isUrl = (name: string) => /Url$|Callback$/.test(name);

/** The part of a schema that says most, where there are several. */
function flatten(schema: JsonSchema): JsonSchema {
  const parts = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  const found = parts?.find(({ type, const: only }) => type !== "null" && only !== "");
  return found === undefined ? schema : { ...found, ...schema };
}

/** Values of a record for the fields of a form. */
export const valuesOf = (fields: Field[], row: Row): Record<string, string> =>
  Object.fromEntries(
    fields.map(({ name }) => {
      const value = row[snake(fieldOf(name))];
      return [name, value === null || value === undefined ? "" : String(value)];
    }),
  );

/**
 * Parameters of a form: fields that were filled in, and fields that were emptied. A select without a
 * choice, an input that was left empty, and an empty password are left out.
 */
export function filled(
  form: URLSearchParams,
  before: Record<string, string> = {},
): URLSearchParams {
  const sent = new URLSearchParams();
  for (const [name, value] of form) {
    const isEmptied = (before[name] ?? "") !== "" && !/password/i.test(name);
    if (value !== "" || isEmptied) sent.append(name, value);
  }
  return sent;
}
