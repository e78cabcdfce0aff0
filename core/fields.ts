import { z } from "zod";
import { limits } from "./limits.ts";

/** Schemas shared by many resources. Never `.default()`: an update would apply it. */
export const flag = z.union([
  z.boolean(),
  z.enum(["true", "false"]).transform((text) => text === "true"),
]);

/** An absolute http or https URL without credentials. */
export const url = z.url({ protocol: /^https?$/, error: "must be an absolute http or https URL" })
  .max(limits.urlLength);

/** A URL that an empty value clears. */
export const clearableUrl = z.union([z.literal("").transform(() => null), url]).nullable();

export const method = z.enum(["GET", "POST"]);

/** A reference to another resource that an empty value clears. */
export const clearableSid = (prefix: string) =>
  z.union([
    z.literal("").transform(() => null),
    z.string().regex(new RegExp(`^${prefix}[0-9a-f]{32}$`), `must be a Sid that begins ${prefix}`),
  ]).nullable();

/** An instant in ms, written as ISO 8601 on the wire. */
export const isoDate = z.number().meta({ wire: "iso8601" });

/** A number, written as a string on the wire. */
export const textNumber = z.number().meta({ wire: "text" });

const withoutNull = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable ? schema.unwrap() as z.ZodType : schema;

/** How a field is written, when it is not as it is stored. */
export const wireFormat = (schema: z.ZodType): "iso8601" | "text" | undefined =>
  withoutNull(schema).meta()?.wire as "iso8601" | "text" | undefined;

/** Whether every value is a number, a boolean or a word of ours, and so never needs escaping. */
export function isPlain(schema: z.ZodType): boolean {
  const inner = withoutNull(schema);
  return [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral].some((kind) => inner instanceof kind);
}
