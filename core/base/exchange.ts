import { shownSetCookie } from "./cookies.ts";
import { plainReason } from "./plain_reason.ts";
import { decodeText } from "./decode_text.ts";
import { type Answer, headerOf } from "./outgoing.ts";

/** One request to a customer's server and its response, as a Notification shows it. */
export interface Exchange {
  url: string;
  method: string;
  params: Record<string, string>;
  responseHeaders: string;
  responseBody: string;
}

/** An exchange that got no answer. */
export const unanswered = (
  { url, method, params }: Pick<Exchange, "url" | "method" | "params">,
): Exchange => ({ url, method, params, responseHeaders: "", responseBody: "" });

/** A URL as others may see it. */
export function withoutCredentials(url: string): string {
  if (!url.includes("@")) return url;
  const parsed = URL.parse(url);
  if (parsed === null) return "";
  parsed.username = parsed.password = "";
  return parsed.href;
}

/** Secrets of a URL: its password, and login and password as an Authorization header has them. */
export function secretsOf(url: string): string[] {
  if (!url.includes("@")) return [];
  const { username = "", password = "" } = URL.parse(url) ?? {};
  if (username === "") return [];
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return [secret, new TextEncoder().encode(`${user}:${secret}`).toBase64()];
}

/**
 * The text without secrets, such as those that a server repeats in its response. Secrets of API
 * keys are found by their form.
 */
export const masked = (text: string, secrets: string[]): string =>
  secrets.filter((secret) => secret.length > 2)
    .reduce((shown, secret) => shown.replaceAll(secret, "********"), text)
    .replaceAll(/sbk_[\w-]{32}/g, "********");

/** Why a request failed, as others may read it: a URL in it may have credentials too. */
export function reasonOf(error: unknown, secrets: string[]): string {
  return masked(plainReason(error), secrets)
    .replaceAll(/\/\/[^/\s@]*@/g, "//");
}

/** A text that may be cut off. */
interface CutText {
  text: string;
  /** Nothing was cut off. */
  isWhole: boolean;
}

/** The headers of an answer, one a line, without the values of cookies. */
export const headerLines = ({ headers }: Pick<Answer, "headers">): string =>
  headers
    .map(([name, value]) => `${name}: ${name === "set-cookie" ? shownSetCookie(value) : value}`)
    .join("\n").slice(0, 4_096);

/** The text of an answer, cut off after `maxBytes`. */
export async function textOf(
  answer: Pick<Answer, "headers" | "body">,
  maxBytes: number,
): Promise<CutText> {
  const { body } = answer;
  const type = headerOf(answer, "content-type");
  if (!(body instanceof Uint8Array)) return await readStream(body, type, maxBytes);
  return { text: decodeText(body.subarray(0, maxBytes), type), isWhole: body.length <= maxBytes };
}

/** The text of a message of `fetch`, cut off after `maxBytes`. */
export async function readText(message: Request | Response, maxBytes: number): Promise<CutText> {
  const { body, headers } = message;
  const length = headers.get("content-length");
  // The connection gives no more than it says; what is packed may become longer.
  const isShort = length !== null && Number(length) <= maxBytes && !headers.has("content-encoding");
  if (isShort) {
    const bytes = new Uint8Array(await message.arrayBuffer()); // node:http's requests lack `bytes`.
    return { text: decodeText(bytes, headers.get("content-type")), isWhole: true };
  }
  return await readStream(body ?? [], headers.get("content-type"), maxBytes);
}

async function readStream(
  stream: AsyncIterable<Uint8Array<ArrayBuffer>> | [],
  type: string | null,
  maxBytes: number,
): Promise<CutText> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    if (size > maxBytes) break; // Leaving the loop cancels the rest.
  }
  const bytes = chunks.length === 1 ? chunks[0]! : await new Blob(chunks).bytes();
  return { text: decodeText(bytes, type), isWhole: size <= maxBytes };
}
