/** The part of JSON Schema that describes a parameter. */
export interface ParameterSchema {
  type?: string;
  const?: string;
  enum?: string[];
  anyOf?: ParameterSchema[];
  items?: ParameterSchema;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

const long = (length: number) => "https://app.test/".padEnd(length, "x");

const noUrls = ["", "/relative", "ftp://app.test/", "https://", "app.test"];

/** Texts that break a rule of a parameter: of its kind, or just beyond one of its bounds. */
export function beyond({ anyOf, ...schema }: ParameterSchema): string[] {
  if (anyOf !== undefined) { // The other alternative is the empty text, which clears.
    return beyond(anyOf.find((one) => one.const === undefined)!).filter((text) => text !== "");
  }
  const { type, format, pattern, minimum, maximum, minLength = 0, maxLength } = schema;
  if (schema.enum !== undefined) return ["", "nonsense", otherCase(schema.enum[0]!)];
  if (type === "array") return ["nonsense"];
  if (type === "boolean") return ["", "yes", "1", "TRUE"];
  if (type === "integer") {
    const outside = [minimum! - 1, ...(maximum === undefined ? [] : [maximum + 1])].map(String);
    return ["", "x", "1.5", "0x10", "1e3", " 5", ...outside];
  }
  return [
    ...(format === "uri" ? [...noUrls, `https://${"a".repeat(254)}/`] : []),
    ...(format === "email" ? ["", "nobody", "a@b", "a b@app.test"] : []),
    ...(pattern === undefined ? [] : ["", "\u0001"]),
    ...(pattern?.includes("[0-9a-f]{32}") ? [pattern.slice(1, 3), `AC${"0".repeat(31)}`] : []),
    ...(minLength > 0 ? ["x".repeat(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : [long(maxLength + 1)]),
  ];
}

const otherCase = (text: string): string =>
  text === text.toUpperCase() ? `${text.toLowerCase()}!` : text.toUpperCase();

/** Texts that a parameter takes: each of its words, and those at its bounds. */
export function within({ anyOf, ...schema }: ParameterSchema): string[] {
  if (anyOf !== undefined) return ["", ...anyOf.flatMap(within)];
  const { type, format, pattern, minimum, maximum, minLength = 0, maxLength } = schema;
  if (schema.enum !== undefined) return schema.enum;
  if (type === "array") return within(schema.items!);
  if (type === "boolean") return ["true", "false"];
  if (type === "integer") return [minimum, maximum].flatMap((one) => one?.toString() ?? []);
  if (format === "uri") return ["http://app.test", long(maxLength!), `https://${"a".repeat(253)}/`];
  if (pattern !== undefined || format !== undefined || maxLength === undefined) return [];
  return ["x".repeat(Math.max(minLength, 1)), long(maxLength)];
}
