import { hasMoreValues } from "../../core/base/json_size.ts";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { addSent, type Sent } from "../../core/model/rest/parameters.ts";

/**
 * Reads a body: a form, or a JSON object with the values of a form as texts. JSON values under
 * names that are not `accepted` are ignored. Throws `unsupportedMedia` for any other body (RFC 9110
 * §15.5.16).
 */
export async function readBody(
  request: Request,
  accepted: (name: string) => boolean,
): Promise<Sent> {
  const coding = request.headers.get("Content-Encoding") ?? "identity";
  if (coding.trim().toLowerCase() !== "identity") {
    throw new Fault("unsupportedMedia", `Content-Encoding must not be "${coding}"`);
  }
  const [mediaType = ""] = (request.headers.get("Content-Type") ?? "").split(";");
  const type = mediaType.trim().toLowerCase();
  const isForm = type === "application/x-www-form-urlencoded";
  if (!isForm && type !== "application/json") {
    if (await isEmpty(request)) return new Map();
    const rule = "must be application/x-www-form-urlencoded or application/json";
    throw new Fault("unsupportedMedia", `Content-Type ${rule}, not "${type}"`);
  }
  const text = await bodyText(request);
  if (text === "") return new Map();
  return sentOf(isForm ? formPairs(text) : jsonPairs(text, accepted));
}

async function isEmpty({ body }: Request): Promise<boolean> {
  for await (const chunk of body ?? []) {
    if (chunk.length > 0) return false; // Leaving the loop cancels the rest.
  }
  return true;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

async function bodyText(request: Request): Promise<string> {
  try {
    return utf8.decode(await bodyBytes(request));
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("badParameter", "the body must be UTF-8", { cause });
  }
}

/** The bytes of a body. One of known length is read at once: a stream costs more under Node. */
export async function bodyBytes(request: Request): Promise<Uint8Array> {
  const length = request.headers.get("Content-Length");
  if (Number(length ?? 0) > limits.bodyBytes) throw new Fault("tooLarge");
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > limits.bodyBytes) throw new Fault("tooLarge");
    chunks.push(chunk);
  }
  return await new Blob(chunks).bytes();
}

const tooMany = () =>
  new Fault("badParameter", `the request must have at most ${limits.parameters} parameters`);

/** Returns whether a text has more of a character than so many. */
function hasMore(text: string, character: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    if (++count > most) return true;
  }
  return false;
}

function sentOf(pairs: Iterable<[name: string, text: string]>): Sent {
  const sent: Sent = new Map();
  let count = 0;
  for (const [name, text] of pairs) {
    if (++count > limits.parameters) throw tooMany();
    const most = name === "Twiml" ? limits.documentBytes : limits.longParameterLength;
    if (text.length > most) {
      const rule = `must have at most ${most} characters`;
      throw new Fault("badParameter", `${name.slice(0, 64)} ${rule}`);
    }
    addSent(sent, name, text);
  }
  return sent;
}

/**
 * The pairs of a form, or of a query string. A percent sign without two hex digits is literal, as
 * in browsers. Throws `badParameter` with the parameter's name for bytes that are not UTF-8.
 */
export function formPairs(text: string): URLSearchParams {
  // Before they are read: so many as fit into a body would take the loop for a third of a second.
  if (hasMore(text, "&", limits.parameters)) throw tooMany();
  // One that is too long is refused by its length, and most decode as a whole.
  const isText = (part: string) =>
    !part.includes("%") || part.length > longestEncoded ||
    !literalPercent.test(part) && isUri(part) ||
    [...part.matchAll(/(?:%[0-9a-f]{2})+/gi)].every(([encoded]) => isUri(encoded));
  const wrong = text.split("&").find((part) => !isText(part));
  if (wrong === undefined) return new URLSearchParams(text);
  const name = [...new URLSearchParams(wrong).keys()].join("").slice(0, 64);
  throw new Fault("badParameter", `${name} must be percent-encoded UTF-8`);
}

/** A percent sign that encodes nothing. To look for one costs less than an error for each. */
const literalPercent = /%(?![0-9a-f]{2})/i;

/** Percent-encoded characters of the longest parameter: a character has three bytes, of three each. */
const longestEncoded = 9 * limits.documentBytes;

function isUri(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded) !== "";
  } catch {
    return false;
  }
}

/**
 * Scalars as the texts of a form, null as the empty text, arrays as repeated parameters. A number has
 * its digits as they were written, since a float would change long ones.
 */
function* jsonPairs(
  text: string,
  accepted: (name: string) => boolean,
): Generator<[name: string, text: string]> {
  for (const [name, value] of Object.entries(jsonObject(text))) {
    if (!accepted(name)) {
      yield [name, ""];
      continue;
    }
    for (const one of [value].flat()) {
      if (typeof one === "object" && one !== null) {
        const rule = "must be a text, a number without an exponent, a boolean or null";
        throw new Fault("badParameter", `${name.slice(0, 64)} ${rule}`);
      }
      const text = one === null ? "" : String(one);
      if (!text.isWellFormed()) { // A lone surrogate has no UTF-8 form: the store refuses it in keys.
        throw new Fault("badParameter", `${name.slice(0, 64)} must be whole Unicode characters`);
      }
      yield [name, text];
    }
  }
}

/** Source text that a reviver gets of a scalar (ECMA-262, JSON.parse source text access). */
interface Written {
  source?: string;
}

/** Keeps a decimal number as its digits; another one becomes an object, which no parameter takes. */
function asWritten(_name: string, value: unknown, { source = "" }: Written = {}): unknown {
  if (typeof value !== "number") return value;
  return /^-?\d+(?:\.\d+)?$/.test(source) ? source : {};
}

/** The names of the members of a JSON object that parses, each as often as it stands there. */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?\s*:?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && token.endsWith(":")) names.push(JSON.parse(token.slice(0, -1)));
  }
  return names;
}

/** Throws `badParameter` for a member that is given twice, of which JSON.parse would take the last. */
function assertOnce(text: string): void {
  const seen = new Set<string>();
  const twice = memberNames(text).find((name) => seen.size === seen.add(name).size);
  if (twice === undefined) return;
  throw new Fault("badParameter", `${twice.slice(0, 64)} must be given once`);
}

/** Values that a JSON body may have: those of parameters, and some in members that are ignored. */
const mostValues = 4 * limits.parameters;

function jsonObject(text: string): Record<string, unknown> {
  if (hasMoreValues(text, mostValues)) {
    throw new Fault("badParameter", `the body must have at most ${mostValues} JSON values`);
  }
  try {
    const value = JSON.parse(text, asWritten);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      assertOnce(text);
      return value;
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("badParameter", "the body must be JSON", { cause });
  }
  throw new Fault("badParameter", "the body must be a JSON object");
}
