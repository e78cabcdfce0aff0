import { z } from "zod";
import { limits } from "./limits.ts";
import { hasShortHost } from "./url_host.ts";

/** Schemas shared by many resources. Never `.default()`: an update would apply it. */
export const flag = z.union([
  z.boolean(),
  z.enum(["true", "false"]).transform((text) => text === "true"),
]);

const webUrl = z.url({ protocol: /^https?$/, error: "must be an absolute http or https URL" });

/** Of a text that is a URL, or a path, so far. */
const shortHost = {
  error: `must name a host of at most ${limits.hostLength} characters`,
  when: ({ issues }: { issues: unknown[] }) => issues.length === 0,
};

/** An absolute http or https URL. */
export const url = webUrl.max(limits.urlLength)
  .refine((text) => hasShortHost(new URL(text)), shortHost);

/** A URL that an empty value clears. */
export const clearableUrl = z.union([z.literal("").transform(() => null), url]).nullable();

/**
 * True when a text is the path of a URL. A second slash, a backslash or a character that URL
 * parsers drop could make a host of what follows.
 */
const isPath = (text: string): boolean => /^\/(?![/\\])[\x21-\x7e]*$/.test(text);

const urlOrPath = z.string().max(limits.urlLength).refine(
  (text) => isPath(text) || webUrl.safeParse(text).success,
  "must be an absolute http or https URL, or a path that begins with one slash",
).refine((text) => isPath(text) || hasShortHost(new URL(text)), shortHost);

/** An absolute URL or a path, which an empty value clears. */
export const clearableUrlOrPath = z.union([z.literal("").transform(() => null), urlOrPath])
  .nullable();

export const method = z.enum(["GET", "POST"]);

/** A whole number between two bounds, sent as decimal digits. */
export const wholeNumber = (least: number, most: number) =>
  z.preprocess(
    (sent) => typeof sent === "string" && /^\d{1,15}$/.test(sent) ? Number(sent) : sent,
    z.number().int().min(least).max(most),
  );

/** A version of the interface. */
export const apiVersion = z.string().regex(
  /^\d{4}-\d\d-\d\d$/,
  "must be a version like 2012-04-24",
);

/**
 * A phone number, or any text. Digits, signs and spaces of other scripts are read as those of
 * ASCII. Form decoding makes a space of the `+`: it is read as `+` again.
 */
export const phoneText = () => z.string().overwrite((text) => withPlus(plainDigits(text)));

/**
 * A phone number in ASCII, as people copy one: full-width and other decimal digits, hyphens and dashes, no-break
 * spaces, and marks of direction that show nothing. A text that holds anything else stays as it is.
 */
export function plainDigits(text: string): string {
  if (!/[^\x20-\x7e]/.test(text) || text.length > limits.numberPatternLength) return text;
  const plain = text.normalize("NFKC").replaceAll(/\p{Nd}/gu, digitOf)
    .replaceAll(/\p{Pd}|\u2212/gu, "-").replaceAll(/\p{Cf}/gu, "").replaceAll(/\p{Zs}/gu, " ");
  return /^[\d\s+().\-\/*#]+$/.test(plain) ? plain.trim() : text;
}

/** The decimal digits of a script stand in a row of ten, and no two rows touch once they are normalized. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

/** A text whose leading space before a digit is the `+` of a phone number. */
export const withPlus = (text: string): string => text.replace(/^ (?=\d)/, "+");

/** A text without control characters, so that it can never end a header line. */
export const oneLine = (length: number) =>
  z.string().trim().min(1).max(length).regex(
    // deno-lint-ignore no-control-regex
    /^[^\x00-\x1f\x7f\u0085\u2028\u2029]*$/,
    "must not hold control characters or line breaks",
  );

/** A name without spaces, quotes and control characters. */
export const word = (length: number) =>
  z.string().max(length).regex(
    /^[!#-;=?-~]+$/,
    "must be printable ASCII without spaces and quotes",
  );

/** A reference to another resource. */
export const reference = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}[0-9a-f]{32}$`), `must be a Sid that begins ${prefix}`);

/** A reference that an empty value clears. */
export const clearableSid = (prefix: string) =>
  z.union([z.literal("").transform(() => null), reference(prefix)]).nullable();

/** An instant in ms, written as ISO 8601 on the wire. */
export const isoDate = z.number().meta({ wire: "iso8601" });

/** An instant in ms, sent as ISO 8601 with its offset. */
export const instant = z.iso.datetime({
  offset: true,
  error: "must be an ISO 8601 time with its offset, such as 2026-01-31T08:00:00Z",
}).transform(Date.parse);

/** An instant in ms, written as RFC 2822 on the wire. */
export const rfcDate = z.number().meta({ wire: "rfc2822" });

/** A number, written as a string on the wire. */
export const textNumber = z.number().meta({ wire: "text" });

/** Names and values, written as a form on the wire. */
export const formText = z.record(z.string(), z.string()).meta({ wire: "form" });

const withoutNull = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable ? schema.unwrap() as z.ZodType : schema;

type WireFormat = "iso8601" | "rfc2822" | "text" | "form";

/** Wire format of a field, where it differs from the stored one. */
export const wireFormat = (schema: z.ZodType): WireFormat | undefined =>
  withoutNull(schema).meta()?.wire as WireFormat | undefined;

/** The fields of a field that is an object; undefined for any other. */
export function innerFields(schema: z.ZodType): z.ZodRawShape | undefined {
  const inner = withoutNull(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

/** The fields of each item of a field that is a list of objects; undefined for any other. */
export function itemFields(schema: z.ZodType): z.ZodRawShape | undefined {
  const inner = withoutNull(schema);
  return inner instanceof z.ZodArray ? innerFields(inner.element as z.ZodType) : undefined;
}

/** True when each value is a number, a boolean or a word of ours, which need no escaping. */
export function isPlain(schema: z.ZodType): boolean {
  const inner = withoutNull(schema);
  return [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral].some((kind) => inner instanceof kind);
}
