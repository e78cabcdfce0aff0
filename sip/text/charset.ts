import { Buffer, isUtf8 } from "node:buffer";

/**
 * Texts in other charsets than UTF-8. Gateways of telephone networks send a MESSAGE (RFC 3428) in
 * ISO-8859-1, and phones do without saying so. Only the body of such a message is decoded otherwise;
 * Content-Type and Content-Length then say what it has become.
 */

const contentType = /^((?:content-type|c)[ \t]*:)[ \t]*text\/plain[ \t]*(?:;([^\r\n]*))?$/im;
const contentLength = /^((?:content-length|l)[ \t]*:)[ \t]*(\d{1,10})[ \t]*$/im;
const headEnd = "\r\n\r\n";

/** Charset of bytes that are no UTF-8 and have none given: ISO-8859-1, as the Web reads it. */
const undeclared = "windows-1252";

/**
 * A message as it is meant: one that came as bytes, and was read as UTF-8, with a body in another
 * charset. Without the bytes it came as text (RFC 6455 §5.6), whose body is decoded, whatever it says.
 */
export function inItsCharset(text: string, bytes?: Uint8Array): string {
  const end = text.startsWith("MESSAGE ") ? text.indexOf(headEnd) : -1;
  if (end < 0) return text;
  const head = text.slice(0, end);
  const [, name, parameters] = contentType.exec(head) ?? [];
  if (name === undefined) return text;
  const body = bytes === undefined ? new Uint8Array() : bodyOf(head, bytes);
  const charset = charsetIn(parameters ?? "");
  const isOpen = charset === undefined || charset === "us-ascii";
  if (charset === "utf-8" || charset === "utf8" || isOpen && isUtf8(body)) return text;
  const decoder = decoderOf(isOpen ? undeclared : charset, body);
  if (decoder === undefined) return text; // It is refused where it is read.
  const named = head.replace(contentType, "$1 text/plain;charset=UTF-8");
  if (bytes === undefined) return named + text.slice(end);
  const content = decoder.decode(body);
  const length = Buffer.byteLength(content);
  return named.replace(contentLength, (_, name) => `${name} ${length}`) + headEnd + content;
}

/** The value of the parameter `charset` of a media type, in lower case. */
export const charsetIn = (parameters: string): string | undefined =>
  /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^\s;"]{1,40})/i.exec(parameters)?.[1]?.toLowerCase();

/** The body, as much of it as Content-Length says. */
function bodyOf(head: string, bytes: Uint8Array): Uint8Array {
  const body = bytes.subarray(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .indexOf(headEnd) + headEnd.length,
  );
  const length = contentLength.exec(head)?.[2];
  return length === undefined ? body : body.subarray(0, Number(length));
}

/** Undefined for an unsupported charset (https://encoding.spec.whatwg.org/#names-and-labels). */
function decoderOf(charset: string, [first, second]: Uint8Array): TextDecoder | undefined {
  // Without a mark it is what most senders write.
  const label = charset === "utf-16" && first === 0xfe && second === 0xff ? "utf-16be" : charset;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
